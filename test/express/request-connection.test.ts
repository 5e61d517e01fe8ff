import { createServer, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import express5 from 'express'
import express4 from 'express4'
import { rateLimit } from 'express-rate-limit'
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { type ExpressRequest, fromApp, fromExpress } from 'routecontrollers/express'
import { cert, key } from '../support/certificate.js'
import { sendTo } from '../support/describe-servings.js'
import { describeReading, type Read } from './support/reading.js'

const forwarded = {
  'x-forwarded-for': '203.0.113.7, 10.0.0.2 ,10.0.0.1',
  'x-forwarded-proto': 'https, http',
  'x-forwarded-host': 'public.example.com:8443 , inner.example.com',
}

const requests = {
  'a host': { headers: { host: 'a.b.example.com' } },
  'a host with a port': { headers: { host: 'a.b.example.com:8080' } },
  'an IPv4 address': { headers: { host: '192.0.2.1:80' } },
  'an IPv6 address': { headers: { host: '[2001:db8::1]:80' } },
  'a host in capitals': { headers: { host: 'WWW.Example.COM' } },
  'what a proxy says': { headers: { host: 'inner.example.com', ...forwarded } },
  'what a proxy says, in part': {
    headers: { host: 'inner', 'x-forwarded-proto': ' https ', 'x-forwarded-host': ', b' },
  },
}

const host: Read = (req) => [req.host, req.hostname, req.protocol, req.secure, req.subdomains]

describeReading('host and protocol', requests, host)

describeReading('host and protocol behind a proxy', requests, host, { settings: { 'trust proxy': true } })

describeReading('host and protocol behind a proxy that is not trusted', requests, host, {
  settings: { 'trust proxy': '203.0.113.1' },
  web: false,
})

describeReading('req.subdomains with another offset', requests, (req) => req.subdomains, {
  settings: { 'subdomain offset': 3 },
})

const addresses: Read = (req) => [req.ip, req.ips]
const proxied = {
  'no proxy': {},
  'three hops': { headers: forwarded },
  'an entry that is none': { headers: { 'x-forwarded-for': 'unknown, 10.0.0.1' } },
  'an empty list': { headers: { 'x-forwarded-for': '' } },
}

describeReading('req.ip and req.ips', proxied, addresses, { web: false })

for (const trust of [
  true,
  false,
  0,
  1,
  2,
  'loopback',
  'loopback, 10.0.0.0/8',
  ['loopback', '10.0.0.1'],
  (address: string, hops: number) => hops < 1 || address === '10.0.0.1',
]) {
  describeReading(`req.ip and req.ips, trust proxy ${String(trust)}`, proxied, addresses, {
    settings: { 'trust proxy': trust },
    web: false,
  })
}

describe('The option trustProxy', () => {
  const seen: Read = (req) => [
    req.ip,
    req.ips,
    req.protocol,
    req.secure,
    req.hostname,
    req.subdomains,
    (req as unknown as { realIp: string }).realIp,
  ]

  async function read(server: Server, trustProxy: string | undefined, host = '127.0.0.1'): Promise<unknown> {
    const routeControllers = new RouteControllers([
      new Controller(
        'GET',
        '/x',
        fromExpress((req, res) => res.json(seen(req, res))),
      ),
    ])
    await server.start({
      port: 0,
      host,
      routeControllers,
      ...(trustProxy !== undefined && { trustProxy }),
    })
    const answer = await sendTo(server.getPort())('/x', { headers: { host: 'inner', ...forwarded } })
    return answer.json()
  }

  it('is whom the members of Express trust too, where there is no profile', async () => {
    await using server = new Server()
    expect(await read(server, '127.0.0.0/8, 10.0.0.0/8')).toEqual([
      '203.0.113.7',
      ['203.0.113.7', '10.0.0.2', '10.0.0.1'],
      'https',
      true,
      'public.example.com',
      ['public'],
      '203.0.113.7',
    ])
  })

  it('trusts an address of IPv4 that the socket shows in IPv6', async () => {
    await using server = new Server()
    const [ip, ips] = (await read(server, '127.0.0.0/8, 10.0.0.0/8', '::')) as unknown[]
    expect([ip, ips]).toEqual(['203.0.113.7', ['203.0.113.7', '10.0.0.2', '10.0.0.1']])
  })

  it('trusts nobody when it is not given', async () => {
    await using server = new Server()
    expect(await read(server, undefined)).toEqual(['127.0.0.1', [], 'http', false, 'inner', [], '127.0.0.1'])
  })

  it('is what a middleware finds as the setting trust proxy, in the same application', async () => {
    await using server = new Server()
    const apps: ExpressRequest['app'][] = []
    const routeControllers = new RouteControllers([
      new Controller(
        'GET',
        '/x',
        fromExpress((req, res) => {
          apps.push(req.app, res.app)
          req.app.set('seen', 'there')
          res.json([typeof req.app.get('trust proxy'), req.app.enabled('trust proxy'), res.app.get('seen')])
        }),
      ),
    ])
    await server.start({
      port: 0,
      host: '127.0.0.1',
      routeControllers,
      trustProxy: 'loopback',
    })
    const answer = await sendTo(server.getPort())('/x')
    expect(answer.json()).toEqual(['function', true, 'there'])
    expect(apps[0]).toBe(apps[1])
    expect(apps[0]!.locals['settings']).toBe(apps[0]!.settings)
  })

  it('leaves the app that a profile was taken from what it is in all else', async () => {
    await using server = new Server()
    const app = express5().set('trust proxy', false)
    const routeControllers = new RouteControllers(
      [
        new Controller(
          'GET',
          '/x',
          fromExpress((req, res) => {
            res.end(
              JSON.stringify([
                req.ip,
                req.app.get('set later'),
                req.app.locals === app.locals,
                req.app.enabled('own'),
              ]),
            )
          }),
        ),
      ],
      { profile: fromApp(app) },
    )
    await server.start({
      port: 0,
      host: '127.0.0.1',
      routeControllers,
      trustProxy: 'loopback',
    })
    app.set('set later', 'seen')
    const answer = await sendTo(server.getPort())('/x', { headers: { 'x-forwarded-for': '203.0.113.7' } })
    expect(answer.json()).toEqual(['203.0.113.7', 'seen', true, false])
  })

  it('lets a rate limiter before Express handlers count by the address that it trusts', async () => {
    const complaints: unknown[] = []
    await using server = new Server()
    const routeControllers = new RouteControllers([
      new Controller(
        'GET',
        '/x',
        fromExpress((_req, res) => res.json('in')),
      ),
    ])
    const logger = { warn: () => {}, error: (problem: unknown) => void complaints.push(problem) }
    const log = jest.spyOn(console, 'error').mockImplementation(logger.error)
    routeControllers.addGlobal(rateLimit({ limit: 1, standardHeaders: true }))
    await server.start({
      port: 0,
      host: '127.0.0.1',
      routeControllers,
      trustProxy: 'loopback',
    })
    const send = (client: string) =>
      sendTo(server.getPort())('/x', { headers: { 'x-forwarded-for': client } })
    const statuses = [await send('203.0.113.1'), await send('203.0.113.2'), await send('203.0.113.1')]
    log.mockRestore()
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(complaints).toEqual([])
  })
})

describe.each([
  [4, express4],
  [5, express5],
] as const)('over TLS, as in Express %i', (_version, express) => {
  const readOver = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', path: '/x', ca: cert, headers: { connection: 'close' } }, (answer) => {
        answer.setEncoding('utf8').on('data', resolve)
      }).on('error', reject)
    })

  it('the protocol is https', async () => {
    const read = (req: ExpressRequest): string => JSON.stringify([req.protocol, req.secure, req.hostname])
    const app: any = express()
    app.get('/x', (req: any, res: any) => res.send(read(req)))
    const theirs = createServer({ cert, key }, app)
    await new Promise<void>((resolve) => theirs.listen(0, '127.0.0.1', resolve))
    await using ours = new Server()
    const controller = new Controller(
      'GET',
      '/x',
      fromExpress((req, res) => res.send(read(req))),
    )
    await ours.start({
      port: 0,
      host: '127.0.0.1',
      tls: { cert, key },
      routeControllers: new RouteControllers([controller], { profile: fromApp(app) }),
    })
    try {
      const expected = await readOver((theirs.address() as AddressInfo).port)
      expect(expected).toBe('["https",true,"127.0.0.1"]')
      expect(await readOver(ours.getPort())).toBe(expected)
    } finally {
      await new Promise((resolve) => theirs.close(resolve))
    }
  })
})
