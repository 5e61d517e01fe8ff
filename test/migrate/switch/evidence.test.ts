import { Clients, MostFrequent } from '../../../packages/switch/src/states/decision/clients.js'
import { enoughOf, PairTest, ShareTest } from '../../../packages/switch/src/states/decision/evidence.js'
import { randomOf } from '../../../bench/rollback/random.js'
import { times } from '../../support/counts.js'

describe('the test of pairs', () => {
  it.each([0.01, 0.05, 0.2, 0.5, 0.9])(
    'says no more often than it may that a side is worse which is not, at %d of failures',
    (share) => {
      const random = randomOf(1)
      const runs = times(100, 1000)
      let alarms = 0
      for (let run = 0; run < runs; run++) {
        const test = new PairTest()
        for (let at = 0; at < 1000 && test.log < enoughOf(0.01); at++)
          test.add(random() < 0.5 ? 'native' : 'legacy', random() < share)
        if (test.log >= enoughOf(0.01)) alarms++
      }
      // Of 100 runs with 1 % each more than five come once in two thousand times; the seed is always the same.
      expect(alarms).toBeLessThanOrEqual(0.05 * runs)
    },
  )

  it('finds a side that fails in each of ten answers, also after thousands that were well', () => {
    for (const before of [0, 5000]) {
      const test = new PairTest()
      for (let at = 0; at < before; at++) test.addBlock({ native: 1, nativeBad: 0, legacy: 1, legacyBad: 0 })
      expect(test.log).toBeLessThan(1)
      for (let at = 0; at < 25; at++) test.addBlock({ native: 1, nativeBad: 1, legacy: 1, legacyBad: 0 })
      expect(test.log).toBeGreaterThan(enoughOf(0.001))
    }
  })

  it('finds nothing where legacy fails at the same time, nor without its answers, nor where the Controller is better', () => {
    const outage = new PairTest()
    const alone = new PairTest()
    const better = new PairTest()
    for (let at = 0; at < 100; at++) {
      outage.addBlock({ native: 1, nativeBad: 0, legacy: 1, legacyBad: 0 })
      better.addBlock({ native: 1, nativeBad: 0, legacy: 1, legacyBad: 1 })
      alone.add('native', true)
    }
    for (let at = 0; at < 100; at++) outage.addBlock({ native: 1, nativeBad: 1, legacy: 1, legacyBad: 1 })
    for (const { log } of [outage, alone, better]) expect(log).toBeLessThan(enoughOf(0.1))
    expect(alone.waiting).toBe(100)
  })

  it('has the same evidence for answers one by one as for a block of them', () => {
    const [one, block] = [new PairTest(), new PairTest()]
    one.add('legacy', false)
    one.add('native', true)
    block.addBlock({ native: 1, nativeBad: 1, legacy: 1, legacyBad: 0 })
    expect(one.log).toBe(block.log)
    one.clear()
    expect(one.log).toBe(-Infinity)
  })

  it('stays a number, whatever comes', () => {
    const test = new PairTest()
    for (let at = 0; at < 5000; at++) test.addBlock({ native: 9, nativeBad: 9, legacy: 9, legacyBad: 0 })
    expect(Number.isFinite(test.log)).toBe(true)
    for (let at = 0; at < 5000; at++) test.addBlock({ native: 9, nativeBad: 0, legacy: 9, legacyBad: 9 })
    expect(Number.isNaN(test.log)).toBe(false)
  })
})

describe('the test of a share', () => {
  it('finds more than is allowed, and not as much as is allowed', () => {
    const [within, above, all] = [new ShareTest(), new ShareTest(), new ShareTest()]
    for (let at = 0; at < 400; at++) {
      within.add(at % 20 === 0, 0.05)
      above.add(at % 4 === 0, 0.05)
      all.add(true, 1)
    }
    expect(within.log).toBeLessThan(enoughOf(0.01))
    expect(above.log).toBeGreaterThan(enoughOf(0.001))
    // Where each may be bad, none is too many.
    expect(all.log).toBeLessThan(enoughOf(0.01))
  })
})

describe('clients', () => {
  it('count once in ten seconds, by their first answer', () => {
    const clients = new Clients()
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'a', 'b']
    expect(keys.map((key) => clients.counts(key, 1000))).toEqual([...Array(6).fill(true), false, false])
    expect(clients.counts('a', 10_000)).toBe(true)
  })

  it('count by each answer where there are fewer than five, or where one makes nearly all requests', () => {
    const few = new Clients()
    const counted = Array.from({ length: 20 }, () => few.counts('a', 1000))
    expect([counted[1], counted[19]]).toEqual([false, true])
    // It is known from then on.
    expect([few.counts('a', 10_000), few.counts('a', 10_001)]).toEqual([true, true])

    const most = new Clients()
    for (let at = 0; at < 6; at++) most.counts(`k${at}`, 1000)
    for (let at = 0; at < 100; at++) most.counts('a', 1000)
    expect(most.counts('a', 1000)).toBe(true)
  })

  it.each([
    ['one of ten', 10, false],
    ['all but one of fifty', 50, true],
  ])('have one that makes nearly all requests: %s', (_name, every, isOne) => {
    const most = new MostFrequent()
    for (let at = 0; at < 500; at++) {
      const isOther = every === 10 ? at % every !== 0 : at % every === 0
      most.add(isOther ? at : 1)
    }
    expect(most.isOne).toBe(isOne)
  })
})
