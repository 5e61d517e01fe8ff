// Pure: how strongly figures say that a Controller does worse. Two sequential tests, which may be read after every answer.
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

/** Moments of a change, summed up: of each suspected share the logarithm of the sum. */
class Sums {
  readonly #logs: number[] = suspected.map(() => -Infinity)
  #count = 0

  /** Takes the logarithms of the factors that the next answers have for each suspected share. */
  multiply(factorOf: (share: number) => number): void {
    const at = ++this.#count
    // The sum over all moments is less than 1.
    const weight = Math.log(0.9 / ((at + 2) * Math.log(at + 2) ** 2))
    for (const [one, [share, stake]] of suspected.entries()) {
      const sum = addLogs(this.#logs[one]!, weight + Math.log(stake)) + factorOf(share)
      this.#logs[one] = Math.min(mostLog, sum)
    }
  }

  get log(): number {
    return this.#logs.reduce(addLogs, -Infinity)
  }

  clear(): void {
    this.#logs.fill(-Infinity)
    this.#count = 0
  }
}

/** Whether the answers of one side are bad more often than those of the other side at the same time, however often those are. */
export class PairTest {
  readonly #sums = new Sums()
  #legacy = 0
  #legacyBad = 0
  #open = { native: 0, nativeBad: 0, legacy: 0, legacyBad: 0 }

  /** One answer. A block ends as soon as both sides have one. */
  add(side: 'legacy' | 'native', isBad: boolean): void {
    const open = this.#open
    open[side]++
    if (isBad) open[`${side}Bad`]++
    if (open.native === 0 || open.legacy === 0) return
    this.addBlock(open)
    this.#open = { native: 0, nativeBad: 0, legacy: 0, legacyBad: 0 }
  }

  addBlock(block: Block): void {
    const { native, nativeBad, legacy, legacyBad } = block
    if (native > 0 && legacy > 0) {
      // By what was known before the block: only so the test holds.
      const usual = (this.#legacyBad + 0.18) / (this.#legacy + 0.36)
      this.#sums.multiply((share) => {
        // Never less than usual: that would be a bet on a better one.
        const worse = Math.max(share, Math.min(2 * usual, (1 + usual) / 2))
        const same = (native * worse + legacy * usual) / (native + legacy)
        return logOf(nativeBad, native, worse, same) + logOf(legacyBad, legacy, usual, same)
      })
    }
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
    return this.#open.native
  }

  /** Begins again; how legacy usually is stays known. */
  clear(): void {
    this.#sums.clear()
    this.#open = { native: 0, nativeBad: 0, legacy: 0, legacyBad: 0 }
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
    this.#sums.multiply((share) =>
      logOf(bad, count, Math.max(share, Math.min(0.9995, (1 + usual) / 2)), usual),
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
