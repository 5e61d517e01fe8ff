import type { IncomingMessage } from 'node:http'
import {
  canonicalAddress,
  clientAddress,
  clientHost,
  clientScheme,
  compileTrust,
  type TrustProxy,
} from '../../src/request/forwarded.js'

describe('compileTrust', () => {
  it.each<[TrustProxy, string, boolean]>([
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    [['10.0.0.0/8'], '10.255.0.1', true],
    [['10.0.0.0/8'], '11.0.0.1', false],
    ['10.0.0.0/8, 192.168.0.0/16', '192.168.7.7', true],
    ['loopback', '127.9.9.9', true],
    ['loopback', '::1', true],
    ['linklocal', '169.254.1.1', true],
    ['uniquelocal', '172.31.0.1', true],
    ['uniquelocal', '172.32.0.1', false],
    ['uniquelocal', 'fd00::1', true],
    [['2001:db8::/32'], '2001:db8:1::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    [[], '127.0.0.1', false],
    ['loopback', 'not an address', false],
    ['::1', '::1', true],
    ['::1', '::2', false],
    ['loopback', '128.0.0.1', false],
    ['loopback', '::2', false],
    ['linklocal', '169.255.0.1', false],
    ['linklocal', 'fe80::1', true],
    ['linklocal', 'febf::1', true],
    ['linklocal', 'fec0::1', false],
    ['uniquelocal', '10.255.255.255', true],
    ['uniquelocal', '11.0.0.0', false],
    ['uniquelocal', '172.15.255.255', false],
    ['uniquelocal', '172.16.0.0', true],
    ['uniquelocal', '192.168.255.255', true],
    ['uniquelocal', '192.169.0.0', false],
    ['uniquelocal', 'fc00::1', true],
    ['uniquelocal', 'fe00::1', false],
    [' linklocal , loopback ', '127.0.0.1', true],
    ['10.0.0.1/32', '10.0.0.1', true],
    ['10.0.0.1/32', '10.0.0.2', false],
    ['::1/128', '::1', true],
    ['::1/128', '::2', false],
  ])('%p has %s in it: %p', (trustProxy, address, expected) => {
    expect(compileTrust(trustProxy)(address)).toBe(expected)
  })

  it.each([
    1,
    true,
    null,
    undefined,
    {},
    '',
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/x',
    '10.0.0.0/+8',
    '10.0.0.0/0x8',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::1/129',
    ['10.0.0.1', 7],
  ])('refuses %p when it is set up', (trustProxy) => {
    expect(() => compileTrust(trustProxy as TrustProxy)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID' }),
    )
  })

  it.each<[unknown, string, string]>([
    [
      2,
      "trustProxy takes addresses of proxies, as in ['10.0.0.0/8', 'loopback'], not number",
      'number of hops',
    ],
    ['10.0.0.0/8, proxy.example', 'trustProxy: "proxy.example" is not an address', ''],
  ])('says what is wrong with %p', (trustProxy, ...parts) => {
    for (const part of parts) expect(() => compileTrust(trustProxy as TrustProxy)).toThrow(part)
  })
})

describe('canonicalAddress', () => {
  it.each([
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::ffff:0:1', '::ffff:0:1'],
    ['::ffff:203.113.200.100', '203.113.200.100'],
    ['64::ffff:10.0.0.1', '64::ffff:10.0.0.1'],
    ['::ffff:10.0.0.1%eth0', '::ffff:10.0.0.1%eth0'],
  ])('of %s is %s', (address, expected) => {
    expect(canonicalAddress(address)).toBe(expected)
  })
})

describe('clientAddress', () => {
  // Express has `ip` on the prototype that it gives to req.
  const from = (remoteAddress: string | undefined, forwarded?: string, ip?: string): IncomingMessage =>
    Object.assign(Object.create(ip === undefined ? null : { ip }) as IncomingMessage, {
      socket: { remoteAddress } as IncomingMessage['socket'],
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    })
  const trust = compileTrust(['loopback', '10.0.0.0/8'])

  it.each([
    ['nobody is trusted', from('127.0.0.1', '203.0.113.7'), undefined, '127.0.0.1'],
    ['a stranger connects', from('203.0.113.9', '198.51.100.1'), trust, '203.0.113.9'],
    ['a proxy says nothing', from('127.0.0.1'), trust, '127.0.0.1'],
    ['a proxy says who', from('127.0.0.1', '203.0.113.7'), trust, '203.0.113.7'],
    ['the client lies about it', from('127.0.0.1', '1.1.1.1, 203.0.113.7'), trust, '203.0.113.7'],
    [
      'proxies stand one behind the other',
      from('::ffff:127.0.0.1', '203.0.113.7 ,10.0.0.1'),
      trust,
      '203.0.113.7',
    ],
    ['all are proxies', from('127.0.0.1', '10.0.0.9, 10.0.0.1'), trust, '10.0.0.9'],
    ['the only one is a proxy', from('127.0.0.1', '10.0.0.19'), trust, '10.0.0.19'],
    ['a hop is no address', from('127.0.0.1', '203.0.113.7, unknown, 10.0.0.1'), trust, '10.0.0.1'],
    ['a hop has a port', from('127.0.0.1', '203.0.113.7:80'), trust, '127.0.0.1'],
    ['a hop is mapped into IPv6', from('127.0.0.1', '::ffff:203.0.113.7'), trust, '203.0.113.7'],
    ['a hop is mapped, in hexadecimal', from('127.0.0.1', '::FFFF:CB00:7107'), trust, '203.0.113.7'],
    ['a hop is spelled at length', from('127.0.0.1', '2001:0DB8:0:0::1'), trust, '2001:db8::1'],
    ['a hop is spelled as IPv4 at its end', from('127.0.0.1', '64:ff9b::1.2.3.4'), trust, '64:ff9b::102:304'],
    ['a hop has IPv4 in IPv6', from('127.0.0.1', '::1.2.3.4'), trust, '::102:304'],
    ['a hop has the same, in hexadecimal', from('127.0.0.1', '::102:304'), trust, '::102:304'],
    ['a hop has a zone', from('127.0.0.1', 'FE80:0::1%eth0'), trust, 'fe80::1'],
    ['a mapped proxy has a zone', from('127.0.0.1', '203.0.113.7, ::ffff:10.0.0.1%a'), trust, '203.0.113.7'],
    ['a hop has an octet over 255', from('127.0.0.1', '1.2.2.355'), trust, '127.0.0.1'],
    ['a hop has an octet in octal', from('127.0.0.1', '010.0.0.1'), trust, '127.0.0.1'],
    ['the header is empty', from('127.0.0.1', ''), trust, '127.0.0.1'],
    ['the header begins with a comma', from('127.0.0.1', ',10.0.0.1'), trust, '10.0.0.1'],
    ['the header ends with a comma', from('127.0.0.1', '203.0.113.7,'), trust, '127.0.0.1'],
    ['there is no socket', { headers: {} } as IncomingMessage, trust, undefined],
    ['there is no socket address', from(undefined, '203.0.113.7'), trust, undefined],
    ['Express has worked it out', from('127.0.0.1', 'x', '::ffff:198.51.100.1'), undefined, '198.51.100.1'],
    [
      'Express has, and trustProxy says otherwise',
      from('127.0.0.1', '203.0.113.7', '9.9.9.9'),
      trust,
      '203.0.113.7',
    ],
  ])('where %s', (_what, req, trusted, expected) => {
    expect(clientAddress(req, trusted)).toBe(expected)
  })

  it('is the socket’s where `ip` is ours, or says nothing', () => {
    const req = from('127.0.0.1', undefined, '9.9.9.9')
    expect([clientAddress(req, undefined, true), clientAddress(req, undefined)]).toEqual([
      '127.0.0.1',
      '9.9.9.9',
    ])
    expect(clientAddress(Object.assign(from('127.0.0.1'), { ip: undefined }), undefined)).toBe('127.0.0.1')
  })

  it.each([10, 999, 1000, 1500])(
    'reads from the right however many entries a client has sent before: %p',
    (sent) => {
      const forged = `${'6.6.6.6,'.repeat(sent)}203.0.113.7`
      expect(clientAddress(from('127.0.0.1', forged), trust)).toBe('203.0.113.7')
    },
  )

  it('looks at fifty hops at most', () => {
    const hops = (count: number): string =>
      ['203.0.113.7', ...Array<string>(count).fill('10.0.0.1')].join(', ')
    expect(clientAddress(from('127.0.0.1', hops(49)), trust)).toBe('203.0.113.7')
    expect(clientAddress(from('127.0.0.1', hops(50)), trust)).toBe('10.0.0.1')
  })
})

describe('clientScheme and clientHost', () => {
  const trust = compileTrust('10.0.0.0/8')
  const from = (
    remoteAddress: string | undefined,
    proto?: string,
    host?: string,
    encrypted = false,
  ): IncomingMessage =>
    ({
      socket: { remoteAddress, encrypted },
      headers: {
        host: 'inner.test',
        ...(proto !== undefined && { 'x-forwarded-proto': proto }),
        ...(host !== undefined && { 'x-forwarded-host': host }),
      },
    }) as unknown as IncomingMessage

  it.each([
    ['nobody is trusted', from('10.0.0.1', 'https', 'evil.test'), undefined, 'http', 'inner.test'],
    ['a stranger says it', from('127.0.0.1', 'https', 'evil.test'), trust, 'http', 'inner.test'],
    ['nobody knows who says it', from(undefined, 'https', 'evil.test'), trust, 'http', 'inner.test'],
    ['a proxy says it', from('10.0.0.1', 'https', 'shop.test'), trust, 'https', 'shop.test'],
    ['it is mapped into IPv6', from('::ffff:10.0.0.1', 'HTTPS', 'shop.test'), trust, 'https', 'shop.test'],
    ['a proxy says that TLS is none', from('10.0.0.1', 'http', undefined, true), trust, 'http', 'inner.test'],
    ['a proxy says nothing', from('10.0.0.1', undefined, undefined, true), trust, 'https', 'inner.test'],
    [
      'the client has said it before',
      from('10.0.0.1', 'https, http', 'evil.test, shop.test'),
      trust,
      'http',
      'shop.test',
    ],
    [
      'the client and another proxy have said it before',
      from('10.0.0.1', 'http, http, https', 'evil.test, inner.test, shop.test'),
      trust,
      'https',
      'shop.test',
    ],
    ['it is no scheme', from('10.0.0.1', 'javascript', 'shop.test'), trust, 'http', 'shop.test'],
    [
      'there is no socket',
      { headers: { host: 'inner.test', 'x-forwarded-proto': 'https' } } as unknown as IncomingMessage,
      trust,
      'http',
      'inner.test',
    ],
  ])('where %s', (_what, req, trusted, scheme, host) => {
    expect([clientScheme(req, trusted), clientHost(req, trusted)]).toEqual([scheme, host])
  })
})

it.each<[string, object, string, unknown]>([
  ['node:net', process, 'getBuiltinModule', () => undefined],
  ['getBuiltinModule', process, 'getBuiltinModule', undefined],
  ['process', globalThis, 'process', undefined],
])(
  'Trust that cannot be compiled, because there is no %s, is told at the start',
  (_what, owner, name, value) => {
    const members = owner as Record<string, unknown>
    const taken = members[name]
    let refusal: unknown
    members[name] = value
    try {
      compileTrust('loopback')
    } catch (error) {
      refusal = error
    } finally {
      members[name] = taken
    }
    expect(refusal).toMatchObject({
      code: 'ERR_RUNTIME_UNSUPPORTED',
      message: 'trustProxy needs node:net, which is not here',
    })
  },
)

it('X-Forwarded-For in several lines, which a host may keep apart, is one list', () => {
  const req = {
    socket: { remoteAddress: '127.0.0.1' },
    headers: { 'x-forwarded-for': ['203.0.113.1', '203.0.113.2'] },
  }
  expect(clientAddress(req as never, compileTrust('loopback'))).toBe('203.0.113.2')
})
