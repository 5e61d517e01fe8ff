import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { express5 as profile5, type ExpressResponse, fromExpress } from 'routecontrollers/express'
import { listenOn } from '../support/describe-servings.js'
import { express4 as profile4 } from './support/profiles.js'
import { describeAnswers } from './support/answers.js'

const root = mkdtempSync(join(tmpdir(), 'files-'))
const file = (name: string): string => join(root, name)
const modified = new Date('2020-02-02T02:02:02Z')

function write(name: string, content: string | Buffer): void {
  writeFileSync(file(name), content)
  utimesSync(file(name), modified, modified)
}

mkdirSync(file('folder'))
mkdirSync(file('.hidden'))
write('page.html', '<p>naïve</p>')
write('script.js', 'let a = 1')
write('data.json', '{"a":1}')
write('picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47]))
write('no-extension', 'plain')
write('empty.txt', '')
write('日本 %20.txt', 'unicode')
write('folder/index.html', 'index')
write('.dot', 'dot')
write('.hidden/in.txt', 'hidden')
write('large.bin', Buffer.alloc(300_000, 'abc'))
symlinkSync(file('page.html'), file('link.html'))

afterAll(() => rmSync(root, { recursive: true }))

// Errors go to the error page, which without a profile is our own.
const withoutProfile = false

describeAnswers(
  'res.sendFile',
  {
    html: (_req, res) => res.sendFile(file('page.html')),
    js: (_req, res) => res.sendFile(file('script.js')),
    json: (_req, res) => res.sendFile(file('data.json')),
    png: (_req, res) => res.sendFile(file('picture.png')),
    'no extension': (_req, res) => res.sendFile(file('no-extension')),
    'an empty file': (_req, res) => res.sendFile(file('empty.txt')),
    'a large file': (_req, res) => res.sendFile(file('large.bin')),
    'a name beyond ASCII': (_req, res) => res.sendFile(file('日本 %20.txt')),
    'a link': (_req, res) => res.sendFile(file('link.html')),
    'below a root': (_req, res) => res.sendFile('folder/index.html', { root }),
    'headers and a status set before': (_req, res) =>
      res.status(201).cookie('a', 'b').type('txt').sendFile(file('page.html')),
  },
  { requests: { '': {}, HEAD: { method: 'HEAD' }, POST: { method: 'POST' } } },
)

describeAnswers(
  'res.sendFile of what there is not',
  {
    'a missing file': (_req, res) => res.sendFile(file('missing')),
    'a folder': (_req, res) => res.sendFile(file('folder')),
    'a folder with a slash': (_req, res) => res.sendFile(`${file('folder')}/`),
    'a missing file with a callback': (_req, res) =>
      res.sendFile(file('missing'), (error) => {
        const { code, status } = error as { code?: string; status?: number }
        res.status(status ?? 500).json({ code, status })
      }),
    'a folder with a callback': (_req, res) =>
      res.sendFile(file('folder'), (error) => res.json({ ...error, message: error?.message })),
    'outside of the root': (_req, res) => res.sendFile('../page.html', { root: file('folder') }),
    'outside of the root, encoded': (_req, res) => res.sendFile('%2e%2e/page.html', { root: file('folder') }),
    'a NUL': (_req, res) => res.sendFile('a\0b', { root }),
    'a file as a folder': (_req, res) => res.sendFile('page.html/x', { root }),
    'a long name': (_req, res) => res.sendFile('x'.repeat(300), { root }),
    'a relative path': (_req, res) => res.sendFile('page.html'),
    'a path of Windows': (_req, res) => res.sendFile('c:\\page.html'),
    'no path': (_req, res) => (res.sendFile as any)(),
    'a path that is none': (_req, res) => (res.sendFile as any)(7),
    'a lone surrogate': (_req, res) => res.sendFile(file('\ud800')),
  },
  { withoutProfile },
)

describeAnswers(
  'options of res.sendFile',
  {
    maxAge: (_req, res) => res.sendFile(file('page.html'), { maxAge: 90_000 }),
    'maxAge in words': (_req, res) => res.sendFile(file('page.html'), { maxAge: '2h', immutable: true }),
    'no cacheControl': (_req, res) => res.sendFile(file('page.html'), { cacheControl: false }),
    'no lastModified': (_req, res) => res.sendFile(file('page.html'), { lastModified: false }),
    'no etag': (_req, res) => res.sendFile(file('page.html'), { etag: false }),
    'no acceptRanges': (_req, res) => res.sendFile(file('page.html'), { acceptRanges: false }),
    headers: (_req, res) =>
      res.sendFile(file('page.html'), { headers: { 'x-one': '1', 'Content-Type': 'text/x-own' } }),
    'headers of a missing file': (_req, res) => res.sendFile(file('missing'), { headers: { 'x-one': '1' } }),
    'a dotfile': (_req, res) => res.sendFile(file('.dot')),
    'a dotfile, allowed': (_req, res) => res.sendFile(file('.dot'), { dotfiles: 'allow' }),
    'a dotfile, denied': (_req, res) => res.sendFile(file('.dot'), { dotfiles: 'deny' }),
    'a file in a hidden folder': (_req, res) => res.sendFile('.hidden/in.txt', { root }),
    'a root in a hidden folder': (_req, res) => res.sendFile('in.txt', { root: file('.hidden') }),
    'undefined, and a callback': (_req, res) =>
      (res.sendFile as any)(file('missing'), undefined, (error: Error) => res.end(error.name)),
  },
  { withoutProfile },
)

const etag = `W/"d-${modified.getTime().toString(16)}"`

describeAnswers(
  'conditions and ranges of res.sendFile',
  { 'a file': (_req, res) => res.sendFile(file('page.html')) },
  {
    withoutProfile,
    requests: {
      'If-None-Match': { headers: { 'If-None-Match': etag } },
      'If-None-Match: *': { headers: { 'If-None-Match': '*' } },
      'If-Modified-Since': { headers: { 'If-Modified-Since': modified.toUTCString() } },
      'If-Match that fails': { headers: { 'If-Match': '"other"' } },
      'If-Match': { headers: { 'If-Match': etag } },
      'If-Unmodified-Since that fails': {
        headers: { 'If-Unmodified-Since': 'Tue, 01 Jan 2019 00:00:00 GMT' },
      },
      'no-cache': { headers: { 'If-None-Match': etag, 'Cache-Control': 'no-cache' } },
      'a range': { headers: { Range: 'bytes=3-6' } },
      'a suffix': { headers: { Range: 'bytes=-4' } },
      'the rest': { headers: { Range: 'bytes=8-' } },
      'several ranges': { headers: { Range: 'bytes=0-1,4-5' } },
      'out of reach': { headers: { Range: 'bytes=500-' } },
      malformed: { headers: { Range: 'lines=1-2' } },
      'If-Range': { headers: { Range: 'bytes=3-6', 'If-Range': etag } },
      'If-Range of a date': { headers: { Range: 'bytes=3-6', 'If-Range': modified.toUTCString() } },
      'If-Range that fails': { headers: { Range: 'bytes=3-6', 'If-Range': '"other"' } },
      'HEAD of a range': { method: 'HEAD', headers: { Range: 'bytes=3-6' } },
    },
  },
)

describeAnswers(
  'res.sendFile without ETags',
  {
    file: (_req, res) => res.sendFile(file('page.html')),
    'against the option': (_req, res) => res.sendFile(file('page.html'), { etag: true }),
  },
  { settings: { etag: false } },
)

describeAnswers(
  'res.download',
  {
    'a file': (_req, res) => res.download(file('page.html')),
    'another name': (_req, res) => res.download(file('page.html'), 'report.html'),
    'a name in a folder': (_req, res) => res.download(file('page.html'), '/etc/日本 "q".html'),
    'a name beyond ASCII': (_req, res) => res.download(file('日本 %20.txt')),
    options: (_req, res) =>
      res.download(file('page.html'), 'a.html', {
        maxAge: 1000,
        headers: { 'X-One': '1', 'content-disposition': 'inline' },
      }),
    'options in place of a name': (_req, res) =>
      (res.download as any)('page.html', { root, headers: { 'X-One': '1' } }),
    'null in place of a name': (_req, res) => (res.download as any)(file('page.html'), null),
    'an empty name': (_req, res) => res.download(file('page.html'), ''),
    'a missing file': (_req, res) => res.download(file('missing')),
    'a missing file with a callback': (_req, res) =>
      res.download(file('missing'), (error) => res.status(404).json([error?.message, res.getHeaderNames()])),
    'a name and a callback': (_req, res) => res.download(file('missing'), 'a.html', () => res.end('called')),
    'options and a callback': (_req, res) =>
      (res.download as any)('missing', { root }, () => res.end('called')),
    'a name, options and a callback': (_req, res) =>
      res.download('missing', 'a', { root }, () => res.end('called')),
    'a folder': (_req, res) => res.download(file('folder')),
    'no path': (_req, res) => (res.download as any)(),
  },
  { withoutProfile },
)

describeAnswers(
  'res.sendfile',
  {
    'a file': (_req, res) => (res as any).sendfile(file('page.html')),
    'a folder': (_req, res) => (res as any).sendfile(file('folder')),
    'a missing file': (_req, res) => (res as any).sendfile(file('missing')),
    'a root': (_req, res) => (res as any).sendfile('page.html', { root }),
    'a callback': (_req, res) =>
      (res as any).sendfile(file('missing'), (error: Error) => res.end(error.message)),
    'a name with an escape': (_req, res) => (res as any).sendfile('日本 %2520.txt', { root }),
  },
  { withoutProfile },
)

describe('the callback of res.sendFile', () => {
  type Told = [error: unknown, writableEnded: boolean]
  const handler = (told: (what: Told) => void, name: string) => (_req: unknown, res: ExpressResponse) =>
    res.sendFile(file(name), (error) =>
      told([error && { ...error, message: error.message }, res.writableEnded]),
    )
  const servings = {
    'Express 4': async (callback: never) => listenOn(express4().get('/x', callback)),
    'Express 5': async (callback: never) => listenOn(express5().get('/x', callback)),
    'the profile of Express 4': async (callback: never) => serveOurs(callback, profile4()),
    'the profile of Express 5': async (callback: never) => serveOurs(callback, profile5()),
  }

  async function serveOurs(
    callback: never,
    profile: ReturnType<typeof profile5>,
  ): Promise<{ port: number; close: () => Promise<void> }> {
    const controllers = [new Controller('GET', '/x', fromExpress(callback))]
    const server = new Server()
    const options = { port: 0, host: '127.0.0.1' }
    await server.start({ ...options, routeControllers: new RouteControllers(controllers, { profile }) })
    return { port: server.getPort(), close: () => server.stop({ lameDuckMs: 0, graceMs: 0 }) }
  }

  async function tell(
    serving: keyof typeof servings,
    handlerOf: (told: (what: Told) => void) => unknown,
    headers: string,
    hangUp: boolean,
  ): Promise<Told> {
    let port = 0
    let close = async (): Promise<void> => {}
    const told = await new Promise<Told>((resolve, reject) => {
      servings[serving](handlerOf(resolve) as never).then((served) => {
        port = served.port
        close = served.close
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        socket.write(`GET /x HTTP/1.1\r\nHost: test\r\nConnection: close\r\n${headers}\r\n`)
        if (hangUp) socket.once('data', () => socket.destroy())
        else socket.resume()
      }, reject)
    })
    await close()
    return told
  }

  const cases: [string, string, string, boolean][] = [
    ['a file', 'page.html', '', false],
    ['a large file', 'large.bin', '', false],
    ['a 304', 'page.html', 'If-None-Match: *\r\n', false],
    ['a client that goes away', 'huge.bin', '', true],
  ]
  beforeAll(() => write('huge.bin', Buffer.alloc(20_000_000, 'abc')))

  it('is told when somebody else has ended the response', async () => {
    const ending =
      (told: (what: Told) => void): unknown =>
      (_req: unknown, res: ExpressResponse) => {
        res.sendFile(file('page.html'), (error) =>
          told([error && { ...error, message: error.message }, res.writableEnded]),
        )
        res.end('early')
      }
    for (const version of ['Express 4', 'Express 5'] as const) {
      const expected = await tell(version, ending, '', false)
      expect(expected[0]).toMatchObject({ code: 'ECONNABORTED' })
      expect(await tell(`the profile of ${version}`, ending, '', false)).toEqual(expected)
    }
  })

  it('is told of an error of the socket', async () => {
    const failing =
      (told: (what: Told) => void): unknown =>
      (_req: unknown, res: ExpressResponse) => {
        res.sendFile(file('huge.bin'), (error) =>
          told([error && { ...error, message: error.message }, res.writableEnded]),
        )
        res.socket!.destroy(Object.assign(new Error('of the socket'), { code: 'EPIPE' }))
      }
    for (const version of ['Express 4', 'Express 5'] as const) {
      const expected = await tell(version, failing, '', false)
      expect(expected[0]).toMatchObject({ message: 'of the socket' })
      expect(await tell(`the profile of ${version}`, failing, '', false)).toEqual(expected)
    }
  })

  it.each(cases)('is told of %s', async (_name, name, headers, hangUp) => {
    for (const version of ['Express 4', 'Express 5'] as const) {
      const sending = (told: (what: Told) => void): unknown => handler(told, name)
      const expected = await tell(version, sending, headers, hangUp)
      expect(expected[0] === undefined).toBe(!hangUp)
      const ours = await tell(`the profile of ${version}`, sending, headers, hangUp)
      expect(ours).toEqual(expected)
    }
  })
})
