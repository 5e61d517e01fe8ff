// What replicas tell one another, by texts that a store carries: no store and no request is needed.
import { Members } from '../../../packages/switch/src/states/decision/members.js'
import type { MigrationSettings } from '../../../packages/switch/src/states/options.js'
import type { SwitchedRoute } from '../../../packages/switch/src/states/switched-route.js'
import { TestClock } from './shop.js'

const route = (key: string, text = 'legacy'): SwitchedRoute =>
  ({ key, state: { text } }) as unknown as SwitchedRoute
const [a, b] = [route('GET /a'), route('GET /b')]

function replica(name: string, clock = new TestClock(), appVersion?: string): Members {
  return new Members({ replica: name, appVersion } as unknown as MigrationSettings, clock)
}
const none = (): number => 0
const openIn = (text: string): unknown => (JSON.parse(text) as { open: unknown }).open

describe('A replica', () => {
  it('tells the routes with open differences alone, and a hundred of them at most', () => {
    const routes = Array.from({ length: 300 }, (_one, at) => route(`GET /${at}`))
    const odd = (one: SwitchedRoute): number => routes.indexOf(one) % 2
    const open = openIn(replica('one').tell(routes, 1, odd)) as Record<string, number>
    expect([Object.keys(open).length, open['GET /199'], open['GET /201']]).toEqual([100, 1, undefined])
    expect(openIn(replica('one').tell(routes, 1, (one) => (one === routes[299] ? 7 : 0)))).toEqual({
      'GET /299': 7,
    })
  })

  it('knows the most that is open in one of the others, and not what is open in itself', () => {
    const own = replica('one')
    const text = own.tell([a, b], 1, () => 9)
    const [two, three] = [replica('two').tell([a, b], 1, () => 2), replica('three').tell([a], 1, () => 5)]
    own.take(new Map([...Object.entries({ one: text, two, three })]))
    expect([own.openDifferences('GET /a'), own.openDifferences('GET /b')]).toEqual([5, 2])
    own.take(new Map([['one', text]]))
    expect(own.openDifferences('GET /a')).toBe(0)
  })

  it.each(['no JSON', '{}', '{"routes":"x"}', '{"states":"x"}', '{"routes":1,"states":2}', 'null'])(
    'leaves out what no version of this package has told, and hears all others: %s',
    (text) => {
      const own = replica('b')
      const told = own.tell([a], 1, none)
      const [first, last] = [replica('a').tell([a], 1, () => 1), replica('d').tell([a], 2, () => 3)]
      own.take(new Map(Object.entries({ a: first, b: told, c: text, d: last })))
      expect(own.status().map(({ replica: name, stateVersion }) => [name, stateVersion])).toEqual([
        ['a', 1],
        ['b', 1],
        ['d', 2],
      ])
      expect(own.openDifferences('GET /a')).toBe(3)
    },
  )

  it('says of another one that it disagrees once its routes have been in other states for three seconds', () => {
    const clock = new TestClock()
    const own = replica('one', clock, '1.0.0')
    const told = own.tell([a, b], 1, none)
    const take = (text: string): void => own.take(new Map(Object.entries({ two: text, one: told })))
    const says = (): unknown[] => own.status().map((one) => [one.replica, one.appVersion, one.disagrees])
    const same = replica('two', clock, '1.0.1').tell([b, a], 1, none)
    const other = replica('two', clock, '1.0.1').tell([a, route('GET /b', 'native')], 1, none)
    take(other)
    clock.advance(2900)
    take(other)
    expect(says()).toEqual([
      ['one', '1.0.0', false],
      ['two', '1.0.1', false],
    ])
    clock.advance(200)
    take(other)
    expect(says()[1]).toEqual(['two', '1.0.1', true])
    take(same)
    expect(says()[1]).toEqual(['two', '1.0.1', false])
    // It begins anew.
    take(other)
    expect(says()[1]).toEqual(['two', '1.0.1', false])
  })

  it('says nothing of the states of one that has other routes', () => {
    const clock = new TestClock()
    const own = replica('one', clock)
    const told = own.tell([a], 1, none)
    const two = replica('two', clock).tell([a, route('GET /new', 'native')], 1, none)
    const take = (): void => own.take(new Map(Object.entries({ one: told, two })))
    take()
    clock.advance(9000)
    take()
    expect(own.status().map(({ disagrees }) => disagrees)).toEqual([false, false])
  })
})
