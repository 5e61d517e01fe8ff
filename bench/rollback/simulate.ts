// What the rule of a rollback lets through, and how often it is wrong: `npm run simulate` prints the tables of bench/rollback/README.md.
import { bets, JointTest, PairTest } from '../../packages/switch/src/states/decision/evidence.js'
import { enoughFor } from '../../packages/switch/src/states/decision/alarm-rate.js'
import { randomOf } from './random.js'

/** A plan of five steps and native. */
const states = 6
const falseAlarmRate = 0.01
const leastAnswers = 5
/** What a report and its answer take, in seconds; half of that each. */
const roundTrip = 0.005
/** After how many seconds legacy has answered a copy of what the Controller has answered. */
const copyTime = 0.005
const random = randomOf(7)

interface Fleet {
  readonly replicas: number
  /** The share of native answers. */
  readonly share: number
  readonly nativePerSecond: number
  /** Whether legacy gets copies, as it does of a GET by default. */
  readonly copies?: boolean
  /** How many times a client tries. It counts once, and each of its answers is bad. */
  readonly tries?: number
  /** How many answers were well before. */
  readonly before?: number
  /** How many answers of legacy each replica has seen before: a route begins at legacy. */
  readonly known?: number
  /** Of legacy, and of the Controller before. */
  readonly usual?: number
  /** Of the Controller then. */
  readonly fails?: number
  /** After how many answers it ends without an alarm. */
  readonly most?: number
}

interface Replica {
  readonly test: PairTest
  /** By what all have found. */
  readonly joint: JointTest
  /** What Redis had when it was asked last. */
  seen: readonly number[]
  bad: number
  /** When it reports next. */
  next: number
  /** When the answer to its report is there; undefined without one under way. */
  back: number | undefined
}

/** How many bad answers a fleet gives before one of its replicas, or the one that leads, has enough evidence; undefined for no alarm. */
function badAnswers({ replicas, share, nativePerSecond, ...fleet }: Fleet): number | undefined {
  const {
    copies = true,
    tries = 1,
    before = 0,
    known = 100,
    usual = 0.001,
    fails = 1,
    most = Infinity,
  } = fleet
  const question = { falseAlarmRate, states, measure: 'errors', replicas } as const
  const [enough, enoughOfAll] = [enoughFor(question).own, enoughFor(question).joint]
  const all: Replica[] = Array.from({ length: replicas }, () => ({
    test: new PairTest(),
    joint: new JointTest(),
    seen: Array.from({ length: bets }, () => 0),
    bad: 0,
    next: random(),
    back: undefined,
  }))
  for (const { test } of all) {
    for (let at = 0; at < known; at++) test.add('legacy', random() < usual)
    // Its state begins then.
    test.clear()
  }
  /** What Redis has got, and when. */
  let sent: { readonly at: number; readonly factors: readonly number[] }[] = []
  let taken: readonly number[] = Array.from({ length: bets }, () => 0)
  let copied: { readonly at: number; readonly test: PairTest; readonly isBad: boolean }[] = []
  let [now, bad, allBad] = [0, 0, 0]
  const exchange = (one: Replica, time: number): void => {
    sent.push({ at: time + roundTrip / 2, factors: one.test.takeFactors() })
    one.next = time + 1
    one.back = time + roundTrip
  }
  /** All that happens until a time. */
  const pass = (until: number): void => {
    for (;;) {
      const due = all.map(({ next, back }) =>
        Math.min(back === undefined ? next : Infinity, back ?? Infinity),
      )
      const at = Math.min(...due)
      if (at > until || replicas === 1) return
      const one = all[due.indexOf(at)]!
      if (one.back === undefined) exchange(one, at)
      else {
        const asked = one.back - roundTrip / 2
        one.back = undefined
        for (const { factors } of sent.filter(({ at: when }) => when <= asked))
          taken = taken.map((sum, bet) => sum + factors[bet]!)
        sent = sent.filter(({ at: when }) => when > asked)
        one.joint.add(taken.map((sum, bet) => sum - one.seen[bet]!))
        one.seen = taken
      }
    }
  }
  for (let count = 0; count < most; count++) {
    now -= (Math.log(1 - random()) * share) / nativePerSecond
    pass(now)
    for (const { at, test, isBad } of copied) if (at <= now) test.add('legacy', isBad)
    copied = copied.filter(({ at }) => at > now)
    const isEnough = all.some(
      ({ test, joint, bad: own }) =>
        (test.log >= enough && own >= leastAnswers) || (joint.log >= enoughOfAll && allBad >= leastAnswers),
    )
    if (isEnough) return bad
    const isNative = random() < share
    const isBad = random() < (isNative && count >= before ? fails : usual)
    const one = all[Math.floor(random() * replicas)]!
    one.test.add(isNative ? 'native' : 'legacy', isBad)
    if (copies && isNative) copied.push({ at: now + copyTime, test: one.test, isBad: random() < usual })
    if (!isBad || !isNative) continue
    bad += count >= before ? tries : 0
    one.bad++
    allBad++
    // What it has seen is a reason to tell the others, and to ask them.
    if (one.test.log > 0 && one.back === undefined) one.next = now
  }
  return undefined
}

function row(name: string, fleet: Fleet, runs: number): void {
  const counts = Array.from({ length: runs }, () => badAnswers(fleet)!).sort((one, other) => one - other)
  const at = (share: number): number =>
    counts[Math.min(counts.length - 1, Math.floor(share * counts.length))]!
  console.log(`| ${name} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} |`)
}

const runs = 1000
console.log('| a Controller that always fails | median | p95 | p99 |\n| --- | --- | --- | --- |')
for (const replicas of [1, 3])
  for (const share of [0.01, 0.1, 0.25, 0.5])
    for (const nativePerSecond of [1, 20, 500])
      row(
        `${replicas} replicas, canary ${share * 100}%, ${nativePerSecond} native answers/s`,
        { replicas, share, nativePerSecond },
        runs,
      )
for (const nativePerSecond of [1, 20, 500])
  row(
    `3 replicas, canary 50%, ${nativePerSecond} native answers/s, without copies`,
    { replicas: 3, share: 0.5, nativePerSecond, copies: false },
    runs,
  )
const fleet = { replicas: 3, share: 0.25, nativePerSecond: 100 }
row('3 replicas, canary 25%, 100/s, after 2000 answers that were well', { ...fleet, before: 2000 }, 300)
row(
  '3 replicas, canary 50%, 100/s, after 20 000 answers that were well',
  { ...fleet, share: 0.5, before: 20_000 },
  100,
)
row('3 replicas, canary 25%, 100/s, each client tries three times', { ...fleet, tries: 3 }, runs)
console.log('\n| both sides fail alike | one replica | three |\n| --- | --- | --- |')
for (const usual of [0.001, 0.01, 0.05, 0.2, 0.5, 0.9]) {
  const alarms = [1, 3].map((replicas) => {
    const equal = { replicas, share: 0.5, nativePerSecond: 100, usual, fails: usual, most: 2000 }
    const found = Array.from({ length: 1000 }, () => badAnswers(equal)).filter((one) => one !== undefined)
    return `${(100 * found.length) / 1000} %`
  })
  console.log(`| ${usual * 100} % | ${alarms.join(' | ')} |`)
}
