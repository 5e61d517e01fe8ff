import { checkSendable } from '../../src/answer/answer.js'
import { isHopByHop, parseLength, setHeader } from '../../src/answer/headers.js'
import { toResponse } from '../../src/answer/web-response.js'
import { refusal } from '../support/refusal.js'

it('a Content-Length says a number of bytes, or none', () => {
  const lengths = [
    '0',
    '12',
    12,
    '999999999999999',
    '9999999999999999',
    '1.5',
    '-1',
    '',
    ' 1',
    'x',
    undefined,
  ]
  expect(lengths.map(parseLength)).toEqual([
    ...[0, 12, 12, 999_999_999_999_999],
    ...Array.from({ length: 7 }, () => undefined),
  ])
  expect([parseLength(['7']), parseLength(['7', '7']), parseLength([])]).toEqual([7, undefined, undefined])
})

it('the names of headers that were checked are kept up to a bound, and short ones alone', () => {
  const setting = jest.spyOn(Map.prototype, 'set')
  const kept = (): number =>
    setting.mock.calls.filter(([name]) => String(name).startsWith('x-of-a-client')).length
  try {
    setHeader([], `x-of-a-client-${'x'.repeat(60)}`, '1')
    expect(kept()).toBe(0)
    for (const _time of [1, 2]) setHeader([], 'x-of-a-client', '1')
    expect(kept()).toBe(1)
    for (let at = 0; at < 1000; at++) setHeader([], `x-of-a-client-${at}`, '1')
    expect(kept()).toBeLessThanOrEqual(500)
  } finally {
    setting.mockRestore()
  }
})

it.each(
  'Connection HTTP2-Settings Keep-Alive Proxy-Connection TE Trailer Transfer-Encoding Upgrade'.split(' '),
)('%s is for one connection, and no Controller sends it', (name) => {
  const list: string[] = []
  setHeader(list, name, 'x')
  expect([isHopByHop(name), isHopByHop(name.toLowerCase()), list]).toEqual([true, true, []])
  expect(isHopByHop(`${name}s`)).toBe(false)
})

it('the types of answers are kept up to a bound', () => {
  const setting = jest.spyOn(Map.prototype, 'set')
  try {
    for (let at = 0; at < 100; at++) {
      const type = `text/of-a-client-${at}`
      const answer = toResponse({
        status: 200,
        statusText: '',
        headers: ['Content-Type', type],
        payload: 'x',
      })
      expect(answer.headers.get('content-type')).toBe(type)
    }
    const kept = setting.mock.calls.filter(([name]) => String(name).startsWith('text/of-a-client'))
    expect(kept.length).toBeLessThanOrEqual(50)
  } finally {
    setting.mockRestore()
  }
})

it.each([
  [200, true],
  [599, true],
  [600, false],
  [101, false],
  [0, false],
])('a Response of another maker with the status %i can be sent: %s', (status, can) => {
  const response = { status, headers: new Headers(), body: null, bodyUsed: false } as unknown as Response
  const check = (): void => checkSendable(response)
  if (can) expect(check).not.toThrow()
  else expect(check).toThrow(refusal('ERR_RESPONSE_INVALID', 'cannot be sent'))
})
