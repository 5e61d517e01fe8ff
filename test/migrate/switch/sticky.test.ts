import { Controller } from 'routecontrollers'
import { bucketOf, isAmong } from '../../../packages/switch/src/states/sticky.js'
import { parseState } from '../../../packages/switch/src/states/states.js'
import { isWhole } from '../../support/counts.js'
import { closeShops, serveShop, type Shop, ways } from './shop.js'

describe('who is among a share', () => {
  const patterns = isWhole ? ['user-%', '%', '10.0.0.%', 'session%abc', '%%%%'] : ['user-%', '10.0.0.%']
  it.each(patterns)('is spread evenly: %s', (pattern) => {
    const keys = Array.from({ length: 20_000 }, (_, at) => pattern.replaceAll('%', String(at)))
    for (const percent of [1, 5, 25, 50]) {
      const among = keys.filter((key) => isAmong(key, percent)).length / keys.length
      expect(Math.abs(among * 100 - percent)).toBeLessThan(0.2 + percent * 0.05)
    }
  })

  it('stays while the share grows, and is nobody at 0 and everybody at 100', () => {
    const keys = Array.from({ length: 5000 }, (_, at) => `user-${at}`)
    for (const key of keys) {
      expect(isAmong(key, 0)).toBe(false)
      expect(isAmong(key, 100)).toBe(true)
      if (isAmong(key, 5)) expect(isAmong(key, 25)).toBe(true)
    }
    // The same in each process and version: to change it moves clients from side to side.
    expect(['Ada', 'user-1', '127.0.0.1', ''].map(bucketOf)).toEqual(expected)
  })
})

it('a share counts hundredths of a per cent, of which nobody gets the first at 0', () => {
  const keyOf = (bucket: number): string => {
    let at = 0
    while (bucketOf(`key ${at}`) !== bucket) at++
    return `key ${at}`
  }
  const [first, second, last] = [keyOf(0), keyOf(1), keyOf(9999)]
  const among = (percent: number): boolean[] => [first, second, last].map((key) => isAmong(key, percent))
  expect(among(0)).toEqual([false, false, false])
  expect(among(0.01)).toEqual([true, false, false])
  expect(among(99.99)).toEqual([true, true, false])
  expect(among(100)).toEqual([true, true, true])
})

const expected = [4646, 5916, 7407, 8923]

it.each([
  ['canary 5%', 'canary 5%'],
  ['canary 5', 'canary 5%'],
  [' canary:0.5 % ', 'canary 0.5%'],
  ['native', 'native'],
  ['canary 101%', undefined],
  ['canary -1%', undefined],
  ['Native', undefined],
  ['toString', undefined],
  [5, undefined],
])('the state %j is %s', (text, state) => {
  expect(parseState(text)?.text).toBe(state)
})

describe('canary', () => {
  afterEach(closeShops)
  const shop: Shop = {
    legacy: (app) => {
      app.get('/x', (_req, res) => void res.send('legacy'))
      app.get('/y', (_req, res) => void res.send('legacy'))
    },
    native: () => [new Controller('GET', '/x', () => 'native'), new Controller('GET', '/y', () => 'native')],
    shadow: false,
  }

  it('keeps each client on its side, on all routes', async () => {
    const { send, switching } = await serveShop(ways[0]!, {
      ...shop,
      stickyBy: (req) => /session=(\w+)/.exec(req.headers.cookie ?? '')?.[1],
    })
    await switching.set('*', 'canary 30%', { reason: 'a test' })
    const sides = new Map<string, string>()
    for (let round = 0; round < 3; round++) {
      for (let user = 0; user < 40; user++) {
        for (const path of ['/x', '/y']) {
          const { text } = await send(path, { headers: { cookie: `session=s${user}` } })
          expect(sides.get(`s${user}`) ?? text).toBe(text)
          sides.set(`s${user}`, text)
        }
      }
    }
    expect(new Set(sides.values())).toEqual(new Set(['legacy', 'native']))
    // Who cannot be told apart stays with what is known.
    expect((await send('/x')).text).toBe('legacy')
  })

  it('keeps an address on its side, whatever connection it comes by', async () => {
    const { send, switching } = await serveShop(ways[0]!, shop)
    // 127.0.0.1 is beyond 74 per cent.
    for (const [state, side] of [
      ['canary 50%', 'legacy'],
      ['canary 80%', 'native'],
    ] as const) {
      await switching.set('*', state, { reason: 'a test' })
      const answers = await Promise.all(Array.from({ length: 20 }, () => send('/x')))
      expect(new Set(answers.map(({ text }) => text))).toEqual(new Set([side]))
    }
  })

  it('tells clients apart by their address unless it is told otherwise, and stays at legacy when it cannot tell', async () => {
    const one = await serveShop(ways[0]!, shop)
    await one.switching.set('*', 'canary 100%', { reason: 'a test' })
    expect((await one.send('/x')).text).toBe('native')
    const two = await serveShop(ways[0]!, {
      ...shop,
      stickyBy: () => {
        throw new Error('planted')
      },
    })
    await two.switching.set('*', 'canary 100%', { reason: 'a test' })
    expect((await two.send('/x')).text).toBe('legacy')
    await two.send('/x')
    expect(two.logged.filter((line) => line.includes('stickyBy'))).toHaveLength(1)
    // A number is as good as its text.
    const number = Array.from({ length: 1000 }, (_, at) => at).find((at) => isAmong(String(at), 1))!
    const four = await serveShop(ways[0]!, { ...shop, stickyBy: () => number })
    await four.switching.set('*', 'canary 1%', { reason: 'a test' })
    expect([(await four.send('/x')).text, four.logged.filter((line) => line.includes('stickyBy'))]).toEqual([
      'native',
      [],
    ])
    // Of a promise all clients would have the same key.
    const three = await serveShop(ways[0]!, { ...shop, stickyBy: (async () => 'ada') as never })
    await three.switching.set('*', 'canary 100%', { reason: 'a test' })
    expect((await three.send('/x')).text).toBe('legacy')
    expect(three.logged.filter((line) => line.includes('a text'))).toHaveLength(1)
  })
})
