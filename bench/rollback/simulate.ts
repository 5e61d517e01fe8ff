// What the rule of a rollback lets through, and how often it is wrong: `npm run simulate` prints the tables of bench/rollback/README.md.
import { PairTest, enoughOf } from '../../packages/switch/src/states/decision/evidence.js'
import { randomOf } from './random.js'

/** A plan of five steps and native; errors, differences and slow answers. */
const perMeasure = 0.01 / 6 / 3
const leastAnswers = 5
const random = randomOf(7)

/** How many bad answers a fleet gives before the first of its replicas, or the sum once a second, has enough evidence. */
function badAnswers(
  replicas: number,
  share: number,
  nativePerSecond: number,
  run: number,
  before: number,
): number {
  const enough = enoughOf(replicas > 1 ? perMeasure / (replicas + 1) : perMeasure)
  const own = Array.from({ length: replicas }, () => ({ test: new PairTest(), bad: 0 }))
  const all = new PairTest()
  let second = { native: 0, nativeBad: 0, legacy: 0, legacyBad: 0 }
  let [now, next, bad] = [0, 1, 0]
  const answer = (side: 'legacy' | 'native', isBad: boolean): void => {
    const one = own[Math.floor(random() * replicas)]!
    one.test.add(side, isBad)
    second[side]++
    if (!isBad) return
    second[`${side}Bad`]++
    if (side === 'native') one.bad++
  }
  const perSecond = nativePerSecond / share
  const pass = (): void => {
    now -= Math.log(1 - random()) / perSecond
    if (now < next) return
    all.addBlock(second)
    second = { native: 0, nativeBad: 0, legacy: 0, legacyBad: 0 }
    next = Math.floor(now) + 1
  }
  for (let at = 0; at < before; at++) {
    pass()
    answer(random() < share ? 'native' : 'legacy', random() < 0.001)
  }
  for (;;) {
    pass()
    if (random() >= share) answer('legacy', random() < 0.001)
    else {
      // A client that tries again counts once; each of its answers is bad.
      bad += run
      answer('native', true)
    }
    const isEnough = own.some((one) => one.test.log >= enough && one.bad >= leastAnswers)
    if (isEnough || all.log >= enough) return bad
  }
}

function row(name: string, counts: number[]): void {
  counts.sort((one, other) => one - other)
  const at = (share: number): number =>
    counts[Math.min(counts.length - 1, Math.floor(share * counts.length))]!
  console.log(`| ${name} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} |`)
}

const runs = 300
console.log('| a Controller that always fails | median | p95 | p99 |\n| --- | --- | --- | --- |')
for (const replicas of [1, 3])
  for (const share of [0.01, 0.1, 0.25, 0.5])
    for (const rate of [1, 20, 500])
      row(
        `${replicas} replicas, canary ${share * 100}%, ${rate} native answers/s`,
        Array.from({ length: runs }, () => badAnswers(replicas, share, rate, 1, 0)),
      )
row(
  '3 replicas, canary 25%, 100/s, after 2000 answers that were well',
  Array.from({ length: 100 }, () => badAnswers(3, 0.25, 100, 1, 2000)),
)
row(
  '3 replicas, canary 25%, 100/s, each client tries three times',
  Array.from({ length: runs }, () => badAnswers(3, 0.25, 100, 3, 0)),
)
console.log('\n| both sides fail alike | alarms at a rate of 1 %, in 2000 answers |\n| --- | --- |')
for (const share of [0.001, 0.01, 0.05, 0.2, 0.5, 0.9]) {
  let alarms = 0
  for (let run = 0; run < 500; run++) {
    const test = new PairTest()
    for (let at = 0; at < 2000 && test.log < enoughOf(0.01); at++)
      test.add(random() < 0.5 ? 'native' : 'legacy', random() < share)
    if (test.log >= enoughOf(0.01)) alarms++
  }
  console.log(`| ${share * 100} % | ${(100 * alarms) / 500} % |`)
}
