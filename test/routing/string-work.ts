/** What some code does with strings: time, without its noise. */
export interface StringWork {
  /** How many operations it takes, and how many characters they take in. */
  cost: number
  /** The pieces that are cut out, in order. */
  pieces: string[]
}

/** Counts what `run` does with strings; what it does besides is to be a fixed number of steps for each of them. */
export function stringWorkOf(run: () => void): StringWork {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- they are called with the string they belong to
  const { indexOf, slice, charCodeAt } = String.prototype
  const work: StringWork = { cost: 0, pieces: [] }
  String.prototype.indexOf = function (this: string, text, from = 0) {
    const found = indexOf.call(this, text, from)
    work.cost += 1 + (found === -1 ? this.length : found) - Math.min(from, this.length)
    return found
  }
  String.prototype.slice = function (this: string, from, to) {
    const part = slice.call(this, from, to)
    work.cost += 1 + part.length
    work.pieces.push(part)
    return part
  }
  String.prototype.charCodeAt = function (this: string, at) {
    work.cost++
    return charCodeAt.call(this, at)
  }
  try {
    run()
  } finally {
    Object.assign(String.prototype, { indexOf, slice, charCodeAt })
  }
  return work
}
