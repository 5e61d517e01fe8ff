import type { IncomingMessage } from 'node:http'
import { canonicalAddress, clientAddress, compileTrust, type TrustProxy } from '../../src/node/forwarded.js'

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
})

describe('canonicalAddress', () => {
  it.each([
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::ffff:0:1', '::ffff:0:1'],
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
    ['a hop is no address', from('127.0.0.1', '203.0.113.7, unknown, 10.0.0.1'), trust, '10.0.0.1'],
    ['a hop has a port', from('127.0.0.1', '203.0.113.7:80'), trust, '127.0.0.1'],
    ['a hop is mapped into IPv6', from('127.0.0.1', '::ffff:203.0.113.7'), trust, '203.0.113.7'],
    ['the header is empty', from('127.0.0.1', ''), trust, '127.0.0.1'],
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

  it('looks at fifty hops at most', () => {
    const hops = (count: number): string =>
      ['203.0.113.7', ...Array<string>(count).fill('10.0.0.1')].join(', ')
    expect(clientAddress(from('127.0.0.1', hops(49)), trust)).toBe('203.0.113.7')
    expect(clientAddress(from('127.0.0.1', hops(50)), trust)).toBe('10.0.0.1')
  })
})
