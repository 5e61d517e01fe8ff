import type { NextFunction, Request, Response } from 'express'
import { Controller, type Hook, RouteControllers, toListener } from 'routecontrollers'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'

// What packages of Connect do with `res`, and Express's own answer to it.
const answers: [string, (res: Response) => unknown][] = [
  ['set() with a name', (res) => res.set('X-One', '1').send('text')],
  ['set() with several names', (res) => res.set({ 'X-One': '1', 'X-Two': '2' }).send('text')],
  ['header()', (res) => res.header('X-One', '1').send('text')],
  ['append() to nothing', (res) => res.append('X-One', '1').send('')],
  ['append() to a string', (res) => res.set('X-One', '1').append('X-One', '2').send('')],
  ['append() to a list', (res) => res.append('X-One', ['1', '2']).append('X-One', ['3']).send('')],
  [
    'append() of numbers',
    (res) =>
      res
        .append('X-One', 1 as never)
        .append('X-One', [2, '3'] as never)
        .send(''),
  ],
  ['status()', (res) => res.status(429).send('Too many')],
  ['sendStatus()', (res) => res.sendStatus(403)],
  ['sendStatus() of one without a name', (res) => res.sendStatus(599)],
  ['sendStatus() of 204', (res) => res.sendStatus(204)],
  ['sendStatus() of 205', (res) => res.sendStatus(205)],
  ['sendStatus() of 304', (res) => res.sendStatus(304)],
  ['send() of nothing with 204', (res) => res.status(204).send()],
  ['send() of text with 205', (res) => res.status(205).send('text')],
  ['json() with 304', (res) => res.status(304).json({ message: 'no' })],
  ['json()', (res) => res.json({ message: 'no' })],
  ['json() of a type', (res) => res.set('Content-Type', 'application/problem+json').json({ status: 1 })],
  ['send() of an object', (res) => res.status(401).send({ message: 'no' })],
  ['send() of nothing', (res) => res.status(201).send()],
  ['send() of bytes', (res) => res.send(Buffer.from('bytes'))],
  ['send() of bytes of a type', (res) => res.set('Content-Type', 'image/png').send(Buffer.from('bytes'))],
  ['send() of text of a type', (res) => res.set('Content-Type', 'text/plain').send('été')],
  ['send() of text of a charset', (res) => res.set('Content-Type', 'text/xml; charset=latin1').send('é')],
  ['redirect()', (res) => res.redirect('/login?next=/été %C3%A9')],
  ['redirect() of a status', (res) => res.redirect(307, 'https://other.example/')],
  ['redirect() to an address of IPv6', (res) => res.redirect('http://[::1]:3000/a?b=[1]|^`{}"<>\\')],
  ['redirect() to half a character', (res) => res.redirect('/\ud800')],
  ['cookie() of text', (res) => res.cookie('a', 'b c').send('')],
  ['cookie() of an object', (res) => res.cookie('a', { b: 1 }, { httpOnly: true, path: '/x' }).send('')],
  ['cookie() that expires', (res) => res.cookie('a', 'b', { maxAge: 1_500 }).send('')],
  [
    'cookie() that expires at a time as text',
    (res) => res.cookie('a', 'b', { maxAge: '60000' as never }).send(''),
  ],
  ['cookie() without options', (res) => res.cookie('a', 'b', { maxAge: null, path: null } as never).send('')],
]

// Express adds an ETag, and names the target of a redirect in its body.
const left = ['date', 'etag', 'x-powered-by', 'connection', 'keep-alive', 'vary']

describe.each(expresses)('What a hook does with res is done as in %s', (_name, express) => {
  afterEach(closeHosted)

  it.each(answers)('%s', async (_what, answer) => {
    const hook = (_req: Request, res: Response, _next: NextFunction): void => void answer(res)
    const routeControllers = new RouteControllers([new Controller('GET', '/', () => 'not reached')])
    routeControllers.addGlobal(hook as unknown as Hook)
    const app = createExpress(express).use(hook)
    const [ours, theirs] = await Promise.all(
      [toListener(routeControllers.getCallback()), app].map(async (handler) => {
        const { send } = await host(handler)
        const { status, headers, cookies, text } = await send('/')
        for (const name of left) delete headers[name]
        const isRedirect = 'location' in headers
        if (isRedirect) for (const name of ['content-length', 'content-type']) delete headers[name]
        const withoutMoment = cookies.map((cookie) => cookie.replace(/Expires=[^;]*/, 'Expires'))
        return { status, headers, cookies: withoutMoment, text: isRedirect ? '' : text }
      }),
    )
    expect(ours).toEqual(theirs)
  })

  it('what it asks of req and its app', async () => {
    const seen: unknown[] = []
    const hook = (req: Request, _res: Response, next: NextFunction): void => {
      seen.push([req.ip, req.path, req.protocol, req.secure, req.app.get('trust proxy'), req.app.get('x')])
      next()
    }
    const routeControllers = new RouteControllers([new Controller('GET', '/a', () => 'done')])
    routeControllers.addGlobal(hook as unknown as Hook)
    const app = createExpress(express)
      .use(hook)
      .get('/a', (_req, res) => void res.send('done'))
    for (const handler of [toListener(routeControllers.getCallback()), app]) {
      expect((await (await host(handler)).send('/a?b')).text).toBe('done')
    }
    expect(seen[0]).toEqual(seen[1])
  })
})
