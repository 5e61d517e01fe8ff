import { describeAnswers } from './support/answers.js'

describeAnswers('res.status', {
  'a status': (_req, res) => void res.status(201).end('made'),
  'the response again': (_req, res) => void res.end(String(res.status(200) === res)),
  'an unknown status': (_req, res) => void res.status(299).end('new'),
  '0': (_req, res) => void res.status(0).end('zero'),
  '99': (_req, res) => void res.status(99).end('below'),
  '1000': (_req, res) => void res.status(1000).end('above'),
  'a text': (_req, res) => void res.status('404' as never).end('text'),
  'a text, sent': (_req, res) => void res.status('404' as never).send('text'),
  'a fraction': (_req, res) => void res.status(200.5).send('fraction'),
  undefined: (_req, res) => void res.status(undefined as never).send('nothing'),
  null: (_req, res) => void res.status(null as never).json(1),
  NaN: (_req, res) => void res.status(NaN).json(1),
})

describeAnswers(
  'res.sendStatus',
  {
    '200': (_req, res) => void res.sendStatus(200),
    '201': (_req, res) => void res.sendStatus(201),
    '204': (_req, res) => void res.sendStatus(204),
    '205': (_req, res) => void res.sendStatus(205),
    '404': (_req, res) => void res.sendStatus(404),
    '599, which has no name': (_req, res) => void res.sendStatus(599),
    'with a type set before': (_req, res) => void res.type('json').sendStatus(500),
    'the response again': (_req, res) =>
      void res.set('X-Same', String(res.sendStatus === res.sendStatus)).sendStatus(403),
    'a text': (_req, res) => void res.sendStatus('404' as never),
    '1': (_req, res) => void res.sendStatus(1),
  },
  { requests: { '': {}, HEAD: { method: 'HEAD' } } },
)

describeAnswers('res.locals, res.app, res.req and res.headersSent', {
  'locals have no prototype, and are kept': (_req, res) => {
    const { locals } = res
    locals['user'] = 'Ada'
    const proto: unknown = Object.getPrototypeOf(locals)
    res.json([proto, res.locals, res.locals === locals, Object.hasOwn(res, 'locals')])
  },
  'locals are replaced': (_req, res) => {
    res.locals = { other: 1 }
    res.json(res.locals)
  },
  'app and req': (req, res) =>
    void res.json([res.req === req, res.app === req.app, req.res === res, res.app.get('etag')]),
  headersSent: (_req, res) => {
    const before = res.headersSent
    res.write(String(before))
    res.end(String(res.headersSent))
  },
})
