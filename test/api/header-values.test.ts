import { parseLength, setHeader } from '../../src/answer/headers.js'

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
