import { describeAnswers } from './support/answers.js'

const accepts = {
  'no Accept': {},
  'a browser': { headers: { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } },
  html: { headers: { Accept: 'text/html' } },
  text: { headers: { Accept: 'text/plain' } },
  json: { headers: { Accept: 'application/json' } },
  'text rather than html': { headers: { Accept: 'text/html;q=0.5, text/plain' } },
  'any text': { headers: { Accept: 'text/*' } },
  HEAD: { method: 'HEAD', headers: { Accept: 'text/html' } },
  POST: { method: 'POST' },
}

describeAnswers(
  'res.redirect',
  {
    'to a path': (_req, res) => res.redirect('/y?a=b&c=d'),
    'with a status': (_req, res) => res.redirect(301, '/y'),
    'with a status that is no redirect': (_req, res) => res.redirect(204, '/y'),
    'after headers and cookies': (_req, res) => {
      res.set('Vary', 'Origin').cookie('a', 'b').status(201)
      res.redirect(303, '/y')
    },
  },
  { requests: accepts },
)

describeAnswers(
  'res.redirect to',
  {
    'a URL': (_req, res) => res.redirect('https://example.com/a b?ü=1'),
    markup: (_req, res) => res.redirect('/"><script>alert(1)</script>\'&'),
    'markup in the host': (_req, res) => res.redirect("http://<la'me>/x"),
    'a line break': (_req, res) => res.redirect('/a\r\nX-Evil: 1'),
    back: (_req, res) => res.redirect('back'),
    '301 and back': (_req, res) => res.redirect(301, 'back'),
    '.': (_req, res) => res.redirect('.'),
    '..': (_req, res) => res.redirect('../login'),
    '//host': (_req, res) => res.redirect('//example.com'),
    'the old signature': (_req, res) => (res.redirect as any)('/y', 301),
    'the old signature with back': (_req, res) => (res.redirect as any)('back', 301),
    'a status as a text': (_req, res) => (res.redirect as any)('301', '/y'),
    'an unknown status': (_req, res) => res.redirect(399, '/y'),
    undefined: (_req, res) => res.redirect(undefined as never),
    'a number': (_req, res) => res.redirect(7 as never),
    'an undefined status': (_req, res) => res.redirect(undefined as never, '/y'),
    'a URL object': (_req, res) => res.redirect(new URL('http://x/y') as never),
    nothing: (_req, res) => (res.redirect as any)(),
  },
  {
    requests: {
      html: { headers: { Accept: 'text/html', Referer: '/from?a="b"' } },
      text: { headers: { Accept: 'text/plain' } },
    },
  },
)

// A 406 goes to the error page, which without a profile is our own.
describeAnswers(
  'res.format',
  {
    'by names': (_req, res) =>
      res.format({
        text: () => res.send('hey'),
        html: () => res.send('<p>hey</p>'),
        json: () => res.send({ message: 'hey' }),
      }),
    'by types': (_req, res) =>
      res.format({
        'text/plain': () => res.send('hey'),
        'text/html; level=1': () => res.send('<p>hey</p>'),
        'application/vnd.api+json': () => res.json({ message: 'hey' }),
      }),
    'with what it calls': (req, res, next) =>
      res.format({
        text: (...given: unknown[]) => res.send(`${given[0] === req} ${given[1] === res} ${typeof given[2]}`),
        default: (...given: unknown[]) => void [res.json([given.length, typeof next])],
      }),
    'with only a default': (_req, res) => res.format({ default: () => res.send('default') }),
    'with nothing': (_req, res) => res.format({}),
    'with an unknown name': (_req, res) =>
      res.format({ nothing: () => res.send('nothing'), json: () => res.json(1) }),
    'for images alone': (_req, res) =>
      res.format({ png: () => res.end('png'), 'image/gif': () => res.end('gif') }),
    'after Vary and a type': (_req, res) =>
      res
        .vary('Origin')
        .type('xml')
        .format({ text: () => res.send('hey'), json: () => res.json(1) }),
    'the response again': (_req, res) => {
      const again = res.format({ default: () => {} })
      res.end(String(again === res))
    },
  },
  { requests: accepts, withoutProfile: false },
)

describeAnswers(
  'res.format with a default',
  {
    'by names': (_req, res) =>
      res.format({
        html: () => res.send('<p>hey</p>'),
        json: () => res.json({ message: 'hey' }),
        default: () => res.status(406).send('neither'),
      }),
  },
  { requests: accepts },
)
