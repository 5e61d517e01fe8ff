import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { parse as parseUrl } from 'node:url'
import { announcesBody, checkHead, isHost, lenientPath, parseTarget } from '../../src/node/target.js'
import { anyText } from '../support/any-text.js'

const malformed = expect.objectContaining({ code: 'ERR_TARGET_INVALID', status: 400 })

describe('parseTarget', () => {
  it.each([
    ['/', { path: '/', search: '' }],
    ['/a/b?c=d', { path: '/a/b', search: 'c=d' }],
    ['/a?', { path: '/a', search: '' }],
    ['/a?b?c=/../', { path: '/a', search: 'b?c=/../' }],
    ['/?', { path: '/', search: '' }],
    ['//evil.example/x', { path: '//evil.example/x', search: '' }],
    ['/\\x', { path: '/\\x', search: '' }],
    ['/a/../b/./c', { path: '/a/../b/./c', search: '' }],
    ['/%2e%2e/%2F%zz', { path: '/%2e%2e/%2F%zz', search: '' }],
    ['/http://x/y', { path: '/http://x/y', search: '' }],
    ['*', { path: '*', search: '' }],
    ['http://host/a?b', { path: '/a', search: 'b', scheme: 'http', host: 'host' }],
    ['HTTPS://Host:8443/a', { path: '/a', search: '', scheme: 'https', host: 'Host:8443' }],
    ['http://host', { path: '/', search: '', scheme: 'http', host: 'host' }],
    ['http://host?b', { path: '/', search: 'b', scheme: 'http', host: 'host' }],
    ['http://[::1]:80/a', { path: '/a', search: '', scheme: 'http', host: '[::1]:80' }],
    ['http://host//a', { path: '//a', search: '', scheme: 'http', host: 'host' }],
  ])('cuts %s, and changes nothing in it', (target, expected) => {
    expect(parseTarget(target)).toEqual(expected)
  })

  it.each([
    '',
    'a',
    'host:80',
    '?a',
    '**',
    '*/a',
    '\\a',
    '/a#b',
    '/?a#b',
    'http:/a',
    'http://',
    'http:///a',
    'http://user@host/',
    'http://user:word@host/',
    'http://ho st/',
    'http://host:99999/',
    'http://[::1/',
    'http://a%2f/b',
    "http://a'b/c",
    'http://a;b/c',
    'http://host\\@evil/',
    'http://host/#a',
    'ftp://host/',
    'xhttp://host/',
    'javascript:alert(1)',
  ])('refuses %p with 400', (target) => {
    expect(() => parseTarget(target)).toThrow(malformed)
  })

  it.each([
    ['a', 'it is neither a path nor an http URL'],
    ['/a#b', 'a request target has no fragment'],
    ['http://user@host/', 'it carries user information'],
    ['http://ho st/', 'its host is malformed'],
  ])('says what is wrong with %p', (target, reason) => {
    expect(() => parseTarget(target)).toThrow(`The request target is malformed: ${reason}`)
  })

  it('puts together to what it has cut, or throws 400, whatever it is given', () => {
    fc.assert(
      fc.property(anyText(), fc.constantFrom('', '/', 'http://h', '//'), (text, prefix) => {
        const target = prefix + text
        try {
          const { path, search, scheme, host } = parseTarget(target)
          const origin = host === undefined ? '' : `${target.slice(0, scheme!.length)}://${host}`
          const whole = origin + path + (search === '' ? '' : `?${search}`)
          expect([
            whole,
            `${whole}?`,
            whole.replace(/^(https?:\/\/[^/?]*)\//i, '$1'),
            `${origin}?${search}`,
          ]).toContain(target)
        } catch (error) {
          expect(error).toEqual(malformed)
        }
      }),
      { seed: 20_261_121, numRuns: 100 },
    )
  })
})

describe('isHost', () => {
  it.each([
    'a',
    'a.example',
    'a.example:80',
    '127.0.0.1',
    '[::1]',
    '[::1]:8080',
    'a:',
    'A-b_c',
    '%41',
    'xn--e1a',
    'a:65535',
    '[::1]:65535',
    '[1234::5678]',
    'a'.repeat(255),
  ])('takes %s', (host) => {
    expect(isHost(host)).toBe(true)
  })

  it.each([
    '',
    ':80',
    'a b',
    'a/b',
    'a?b',
    'a#b',
    'a@b',
    'evil:x@t',
    'a:b',
    'a:65536',
    '[::1]:65536',
    'a:80:80',
    '[::1',
    'a[::1]',
    '[::1]a',
    '[::1]:80a',
    'a%2',
    'a%2g',
    '[g]',
    'é',
    '%',
    'a'.repeat(256),
  ])('refuses %s', (host) => {
    expect(isHost(host)).toBe(false)
  })
})

describe('checkHead', () => {
  it('refuses a malformed Host each time that it comes, also right after itself', () => {
    const req = { rawHeaders: ['Host', 'evil:x@t'], httpVersionMajor: 1, method: 'GET', url: '/' } as never
    for (let at = 0; at < 2; at++) {
      expect(() => checkHead(req, 100)).toThrow(expect.objectContaining({ code: 'ERR_HOST_INVALID' }))
    }
  })

  const request = (hosts: readonly string[], version = '1.1', fields = 0): IncomingMessage =>
    ({
      httpVersion: version,
      httpVersionMajor: Number(version.split('.', 1)[0]),
      headers: hosts.length === 0 ? {} : { host: hosts[0] },
      rawHeaders: [...hosts.flatMap((host) => ['Host', host]), ...Array<string>(2 * fields).fill('x')],
    }) as unknown as IncomingMessage
  const refusal = (req: IncomingMessage): unknown => {
    try {
      checkHead(req, 100)
    } catch (error) {
      const { code, status, message } = error as { code: string; status: number; message: string }
      return [code, status, message]
    }
    return 'let through'
  }

  it('lets one good Host through, again and again, and none', () => {
    for (const hosts of [['a.example'], ['a.example'], ['b.example:80'], ['a.example'], []]) {
      expect(refusal(request(hosts))).toBe('let through')
    }
  })

  it.each([
    [['a/b'], 'malformed'],
    [[''], 'malformed'],
    [['a.example', 'b.example'], 'sent twice'],
    [['a.example', 'a.example'], 'sent twice'],
  ])('refuses the Host %p with 400', (hosts, reason) => {
    expect(refusal(request(hosts))).toEqual(['ERR_HOST_INVALID', 400, `The Host field is ${reason}`])
  })

  it('takes no other field for Host, and no value for a name', () => {
    const req = request(['a.example'])
    req.rawHeaders.push(
      'X-Host',
      'a/b',
      'From',
      'a/b',
      'Hos',
      'a/b',
      'Hosts',
      'a/b',
      'X-A',
      'Host',
      'X-B',
      'host',
    )
    expect(refusal(req)).toBe('let through')
    expect(refusal(Object.assign(req, { rawHeaders: ['X-A', '1', 'hOST', 'a/b'] }))).toEqual([
      'ERR_HOST_INVALID',
      400,
      'The Host field is malformed',
    ])
  })

  it('refuses with 431 one header field too many', () => {
    expect(refusal(request(['a.example'], '1.1', 99))).toBe('let through')
    expect(refusal(request(['a.example'], '1.1', 100))).toEqual([
      'ERR_HEADERS_TOO_LARGE',
      431,
      'The request has more than 100 header fields',
    ])
  })

  it('refuses with 505 a version line that only looks like HTTP/1', () => {
    expect(refusal(request(['a.example'], '1.0'))).toBe('let through')
    expect(refusal(request(['a.example'], '2.0'))).toEqual([
      'ERR_HTTP_VERSION',
      505,
      'HTTP/2.0 is not spoken here',
    ])
    expect(refusal(Object.assign(request(['a.example'], '2.0'), { stream: {} }))).toBe('let through')
  })

  it('takes no version for that of an event, which has a method and a URL', () => {
    const without = { httpVersion: undefined, httpVersionMajor: undefined }
    const event = {
      ...request(['a.example']),
      ...without,
      method: 'GET',
      url: '/',
    } as never as IncomingMessage
    const refused = ['ERR_HTTP_VERSION', 505, 'HTTP/undefined is not spoken here']
    expect(refusal(event)).toBe('let through')
    expect(refusal({ ...event, method: undefined } as never)).toEqual(refused)
    expect(refusal({ ...event, url: '' } as never)).toEqual(refused)
  })
})

describe('announcesBody', () => {
  it.each<[boolean, string[]]>([
    [false, []],
    [false, ['Host', 'a', 'X-A', 'Content-Length', 'X-B', 'Transfer-Encoding', 'X-C', '1']],
    [false, ['X-Content-Length', '1', 'Content-Lengths', '1', 'Transfer-Encodin', 'chunked']],
    [false, ['X-Other-Length', '1', 'If-Modified-Since', '1']],
    [false, ['Content-Length', '0']],
    [false, ['Content-Length', '00']],
    [true, ['Content-Length', '1']],
    [true, ['Host', 'a', 'CONTENT-LENGTH', '1000000000000']],
    [true, ['Host', 'a', 'content-length', '7', 'X-A', '0']],
    [true, ['Transfer-Encoding', 'chunked']],
    [true, ['Host', 'a', 'transfer-encoding', '0']],
  ])('is %p for %p', (expected, rawHeaders) => {
    expect(announcesBody({ rawHeaders } as IncomingMessage)).toBe(expected)
  })
})

describe('lenientPath', () => {
  it.each([
    '/',
    '/a\\b?c=d',
    '//x/y',
    '/http://x',
    '*',
    'http://h',
    'http://h:80/a?b=\\',
    'HTTPS://[::1]/a;b=1',
  ])('is not asked for of %s, in which all find the same', (target) => {
    if (target !== '*') expect(lenientPath(target)).toBeUndefined()
    // As Express: a plain path is cut at its query, anything else goes through url.parse.
    const found = target.startsWith('/') ? target.split('?', 1)[0] : parseUrl(target).pathname
    expect(parseTarget(target).path).toBe(found)
  })

  it.each([
    '/a#b',
    '/a?b#c',
    '/a\\b#',
    '/a\u00a0',
    'http://u@h/a',
    'http://u:p@h/a/b?c',
    'http://h/a\\b',
    'ftp://h/a',
    'http://h/a#',
  ])('is what url.parse finds in %s', (target) => {
    expect(lenientPath(target)).toBe(parseUrl(target).pathname)
  })

  it('is there for every target in which url.parse finds another path than parseTarget', () => {
    const piece = fc.constantFrom(
      '/',
      '/a',
      '\\',
      '#',
      '?',
      '@',
      ';',
      "'",
      '{',
      '%7B',
      ' ',
      '\u00a0',
      'http://',
      '//',
      'h',
      '.',
      '|',
    )
    fc.assert(
      fc.property(
        fc.constantFrom('/', 'http://h', 'ftp://h', 'http://'),
        fc.array(piece, { maxLength: 6 }),
        (start, pieces) => {
          const target = start + pieces.join('')
          let ours: string | undefined
          try {
            ours = parseTarget(target).path
          } catch {
            // Refused, and so in doubt.
          }
          let theirs: string | null
          try {
            theirs =
              target.startsWith('/') && !/[#\s]/.test(target)
                ? target.split('?', 1)[0]!
                : parseUrl(target).pathname
          } catch {
            return
          }
          if (ours !== (theirs ?? '/')) expect(lenientPath(target)).toBeDefined()
        },
      ),
      { numRuns: 5_000 },
    )
  })
})
