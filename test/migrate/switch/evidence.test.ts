import { Clients, MostFrequent } from '../../../packages/switch/src/states/decision/clients.js'
import {
  enoughOf,
  JointTest,
  PairTest,
  ShareTest,
} from '../../../packages/switch/src/states/decision/evidence.js'
import { randomOf } from '../../../bench/rollback/random.js'
import { times } from '../../support/counts.js'

it('the factors of pairs are given once, and none of those before it was cleared', () => {
  const test = new PairTest()
  const pair = (isBad: boolean): void => {
    test.add('legacy', false)
    test.add('native', isBad)
  }
  pair(true)
  expect(test.takeFactors().every((one) => one !== 0)).toBe(true)
  expect(test.takeFactors()).toEqual([0, 0, 0])
  pair(true)
  test.clear()
  expect([test.takeFactors(), test.log, test.waiting]).toEqual([[0, 0, 0], -Infinity, 0])
  test.add('native', true)
  expect(test.waiting).toBe(1)
  test.clear()
  test.add('legacy', false)
  // The answer before it was of another time.
  expect(test.takeFactors()).toEqual([0, 0, 0])
})

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

  it('bets on shares that are no better than usual, and weighs the first of all moments', () => {
    const test = new PairTest()
    test.addBlock({ native: 1, nativeBad: 1, legacy: 1, legacyBad: 0 })
    // Before any answer half of them are usually bad. No bet is on less than half way from there to all.
    const factor = (worse: number): number => {
      const same = (worse + 0.5) / 2
      return (worse / same) * (0.5 / (1 - same))
    }
    const bets = 0.6 * factor(0.98) + 0.2 * factor(0.75) + 0.2 * factor(0.75)
    expect(test.log).toBeCloseTo(Math.log(0.4) + Math.log(bets), 9)
  })

  it('bets on twice what is usual at the least', () => {
    const test = new PairTest()
    test.addBlock({ native: 9, nativeBad: 1, legacy: 9, legacyBad: 1 })
    test.clear()
    test.addBlock({ native: 1, nativeBad: 1, legacy: 1, legacyBad: 0 })
    const usual = 1.18 / 9.36
    const factor = (worse: number): number => {
      const same = (worse + usual) / 2
      return (worse / same) * ((1 - usual) / (1 - same))
    }
    const bets = 0.6 * factor(0.98) + 0.2 * factor(0.5) + 0.2 * factor(2 * usual)
    expect(test.log).toBeCloseTo(Math.log(0.4) + Math.log(bets), 9)
  })

  it('takes answers of one side alone for no evidence', () => {
    const test = new PairTest()
    test.addBlock({ native: 9, nativeBad: 9, legacy: 0, legacyBad: 0 })
    expect(test.log).toBe(-Infinity)
  })

  it.each([
    ['native', 'legacy'],
    ['legacy', 'native'],
  ] as const)('begins again without an answer of %s that waits for one of %s', (first, other) => {
    const test = new PairTest()
    test.add(first, true)
    test.clear()
    expect(test.waiting).toBe(0)
    test.add(other, false)
    expect(test.log).toBe(-Infinity)
  })

  it.each([
    ['five thousand good answers of legacy, then a thousand bad ones', 5000, 1000],
    ['one good answer of legacy, then a hundred bad ones', 1, 100],
  ])('has an estimate of legacy by its last five hundred answers: %s', (_name, good, bad) => {
    const test = new PairTest()
    for (let at = 0; at < good; at++) test.addBlock({ native: 1, nativeBad: 0, legacy: 1, legacyBad: 0 })
    for (let at = 0; at < bad; at++) test.addBlock({ native: 1, nativeBad: 1, legacy: 1, legacyBad: 1 })
    // Legacy fails nearly always by then, so ten failures of the Controller are none of its own.
    for (let at = 0; at < 10; at++) test.addBlock({ native: 1, nativeBad: 1, legacy: 1, legacyBad: 0 })
    const surprised = new PairTest()
    for (let at = 0; at < 10; at++) surprised.addBlock({ native: 1, nativeBad: 1, legacy: 1, legacyBad: 0 })
    expect(test.log).toBeLessThan(surprised.log - 1)
    test.clear()
    test.addBlock({ native: 1, nativeBad: 1, legacy: 1, legacyBad: 0 })
    expect(test.log).toBeLessThan(0)
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

  it('bets on no share below half way from what is allowed to all', () => {
    const test = new ShareTest()
    test.add(true, 0.05)
    const bets = (0.6 * 0.98 + 0.2 * 0.525 + 0.2 * 0.525) / 0.05
    expect(test.log).toBeCloseTo(Math.log(0.4) + Math.log(bets), 9)
    const good = new ShareTest()
    good.add(false, 0.05)
    const others = (0.6 * 0.02 + 0.2 * 0.475 + 0.2 * 0.475) / 0.95
    expect(good.log).toBeCloseTo(Math.log(0.4) + Math.log(others), 9)
  })

  it.each([
    ['bad', true, 0.36],
    ['good', false, 0.2],
  ])('gives the second moment a part of its own, after an answer that was %s', (_name, isBad, part) => {
    const test = new ShareTest()
    for (let at = 0; at < 2; at++) test.add(isBad, 0.05)
    const second = part / (3 * Math.log(3) ** 2)
    const factor = (share: number): number => (isBad ? share / 0.05 : (1 - share) / 0.95)
    const sum = (share: number, stake: number): number =>
      stake * (0.4 * factor(share) + second) * factor(share)
    expect(test.log).toBeCloseTo(Math.log(sum(0.98, 0.6) + sum(0.525, 0.4)), 9)
  })

  it('takes no answers for no moment', () => {
    const test = new ShareTest()
    test.addMany(0, 0, 0.05)
    expect(test.log).toBe(-Infinity)
  })

  it('lets one answer of a thousand be bad where none is allowed', () => {
    const [never, always] = [new ShareTest(), new ShareTest()]
    never.add(true, 0)
    always.add(true, 0.001)
    // A share of nothing at all would make one answer a proof.
    expect(never.log).toBe(always.log)
    expect(never.log).toBeLessThan(enoughOf(0.001))
  })
})

it('the test of several replicas takes what none of them has found for no moment', () => {
  const test = new JointTest()
  test.add([0, 0, 0])
  expect(test.log).toBe(-Infinity)
  test.add([1, 0, 0])
  expect(test.log).toBeCloseTo(Math.log(0.4 * (0.6 * Math.E + 0.4)), 9)
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
