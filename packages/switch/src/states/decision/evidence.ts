// Pure: how strongly figures say that a Controller does worse. Sequential tests, which may be read after every answer.
//
// Each keeps an e-value for every moment at which the Controller may have become worse, and adds them up by weights whose sum is 1. While
// the Controller is no worse, the sum is above 1 / rate at any time with a probability of `rate` at the most (Ville's inequality).

/** Some answers of both sides that were given at the same time, and how many of them were bad. */
export interface Block {
  readonly native: number
  readonly nativeBad: number
  readonly legacy: number
  readonly legacyBad: number
}

/** The shares of bad answers that are bet on, each with its part of the stake. */
const suspected: readonly (readonly [share: number, stake: number])[] = [
  [0.98, 0.6],
  [0.5, 0.2],
  [0.15, 0.2],
]
/** Of how many answers of legacy its share is estimated: what was long ago says little. */
const mostRemembered = 500
const mostLog = 600

/** How many shares are bet on. */
export const bets: number = suspected.length

/**
 * The parts of the moments: that of the first one, those of all that come after answers which were a sign, and those of all others. A sum of
 * `1 / ((n + 2) ln² (n + 2))` over all n is less than 1.07, so all weights together are less than 1.
 */
const [ofFirst, ofSigns, ofOthers] = [0.4, 0.36, 0.2]

/** Moments of a change, summed up: of each suspected share the logarithm of the sum. */
class Sums {
  readonly #logs: number[] = suspected.map(() => -Infinity)
  #signs = 0
  #others = 0
  /** Whether the last answers have spoken for a Controller that is worse. A weight may depend on what was known before its moment. */
  #isSign = false

  /** Takes the logarithm of the factor that the next answers have for each suspected share. */
  multiply(factors: readonly number[]): void {
    const weight = Math.log(this.#nextWeight())
    for (const [one, [, stake]] of suspected.entries()) {
      const sum = addLogs(this.#logs[one]!, weight + Math.log(stake)) + factors[one]!
      this.#logs[one] = Math.min(mostLog, sum)
    }
    this.#isSign = factors[0]! > 0
  }

  #nextWeight(): number {
    if (this.#signs + this.#others === 0) {
      this.#others++
      return ofFirst
    }
    const at = this.#isSign ? ++this.#signs : this.#others++
    return (this.#isSign ? ofSigns : ofOthers) / ((at + 2) * Math.log(at + 2) ** 2)
  }

  get log(): number {
    return this.#logs.reduce(addLogs, -Infinity)
  }

  clear(): void {
    // As each answer of legacy does, where nothing has been added since.
    if (this.#signs + this.#others === 0) return
    this.#logs.fill(-Infinity)
    this.#signs = this.#others = 0
    this.#isSign = false
  }
}

/** Whether the answers of one side are bad more often than those of the other side at the same time, however often those are. */
export class PairTest {
  readonly #sums = new Sums()
  /** The logarithms of all factors since they were taken last, for a test over several replicas. */
  #factors: number[] = suspected.map(() => 0)
  #legacy = 0
  #legacyBad = 0
  // One number each, and no object: this is done for each answer that counts.
  #openNative = 0
  #openNativeBad = 0
  #openLegacy = 0
  #openLegacyBad = 0

  /** One answer. */
  add(side: 'legacy' | 'native', isBad: boolean): void {
    if (side === 'native') {
      this.#openNative++
      if (isBad) this.#openNativeBad++
    } else {
      this.#openLegacy++
      if (isBad) this.#openLegacyBad++
    }
    this.#endBlock()
  }

  /** Answers of the same time. */
  addBlock({ native, nativeBad, legacy, legacyBad }: Block): void {
    this.#openNative += native
    this.#openNativeBad += nativeBad
    this.#openLegacy += legacy
    this.#openLegacyBad += legacyBad
    this.#endBlock()
  }

  /** Ends a block as soon as both sides have an answer: by what was asked, and not by how it was answered. */
  #endBlock(): void {
    const [native, legacy] = [this.#openNative, this.#openLegacy]
    if (native === 0 || legacy === 0) return
    const [nativeBad, legacyBad] = [this.#openNativeBad, this.#openLegacyBad]
    this.#forgetBlock()
    // By what was known before the block: only so the test holds.
    const usual = (this.#legacyBad + 0.18) / (this.#legacy + 0.36)
    const factors = suspected.map(([share]) => {
      // Never less than usual: that would be a bet on a better one.
      const worse = Math.max(share, Math.min(2 * usual, (1 + usual) / 2))
      const same = (native * worse + legacy * usual) / (native + legacy)
      return logOf(nativeBad, native, worse, same) + logOf(legacyBad, legacy, usual, same)
    })
    this.#sums.multiply(factors)
    this.#factors = this.#factors.map((sum, at) => sum + factors[at]!)
    this.#legacy += legacy
    this.#legacyBad += legacyBad
    if (this.#legacy <= mostRemembered) return
    const kept = mostRemembered / this.#legacy
    this.#legacy *= kept
    this.#legacyBad *= kept
  }

  /** The natural logarithm of the evidence; 0 and less is none. */
  get log(): number {
    return this.#sums.log
  }

  /** How many answers wait for one of the other side. */
  get waiting(): number {
    return this.#openNative
  }

  #forgetBlock(): void {
    this.#openNative = this.#openNativeBad = this.#openLegacy = this.#openLegacyBad = 0
  }

  /** The logarithms of the factors since they were taken last, one for each suspected share. */
  takeFactors(): readonly number[] {
    const factors = this.#factors
    this.#factors = suspected.map(() => 0)
    return factors
  }

  /** Begins again; how legacy usually is stays known. */
  clear(): void {
    this.#sums.clear()
    this.#factors.fill(0)
    this.#forgetBlock()
  }
}

/**
 * The tests of several replicas as one. Each pairs its own answers, so a product of what they have found holds whenever they tell it: also
 * where one tells it sooner because its answers are bad.
 */
export class JointTest {
  readonly #sums = new Sums()

  /** The factors of all replicas since the last ones, as `takeFactors` gives them. */
  add(factors: readonly number[]): void {
    if (factors.some((one) => one !== 0)) this.#sums.multiply(factors)
  }

  get log(): number {
    return this.#sums.log
  }

  clear(): void {
    this.#sums.clear()
  }
}

/** Whether answers are bad more often than a share of them that is allowed. */
export class ShareTest {
  readonly #sums = new Sums()

  add(isBad: boolean, allowed: number): void {
    this.addMany(1, Number(isBad), allowed)
  }

  addMany(count: number, bad: number, allowed: number): void {
    if (count === 0) return
    const usual = Math.min(0.999, Math.max(0.001, allowed))
    // A share that is allowed says nothing.
    this.#sums.multiply(
      suspected.map(([share]) =>
        logOf(bad, count, Math.max(share, Math.min(0.9995, (1 + usual) / 2)), usual),
      ),
    )
  }

  get log(): number {
    return this.#sums.log
  }

  clear(): void {
    this.#sums.clear()
  }
}

/** How much evidence is enough, for a rate of false alarms. */
export function enoughOf(rate: number): number {
  return Math.log(1 / rate)
}

/** The logarithm of how much likelier so many bad ones are by one share than by another one. */
function logOf(bad: number, all: number, one: number, other: number): number {
  return bad * Math.log(one / other) + (all - bad) * Math.log((1 - one) / (1 - other))
}

function addLogs(one: number, other: number): number {
  const most = Math.max(one, other)
  return most === -Infinity ? most : most + Math.log(Math.exp(one - most) + Math.exp(other - most))
}
