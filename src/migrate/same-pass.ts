// Whether two functions that requests pass are the same, and what they are called.

/** What is compared of a function, in a lock and in an app alike. */
export interface Passing {
  readonly name: string
  readonly at?: string | undefined
  readonly definition?: string | undefined
  readonly source?: string | undefined
  readonly argument?: string | undefined
  readonly mount?: string | undefined
  readonly param?: string | undefined
  readonly unverifiable?: boolean
}

export const fileIn = (place: string | undefined): string => place?.replace(/:\d+$/, '') ?? ''
const isOfPackage = (place: string | undefined): boolean => /(?:^|\/)node_modules\//.test(place ?? '')

/** What a function is compared by. */
export function keyOf({ name, definition, source, argument }: Passing): string {
  // One whose text cannot be read is what its argument says.
  const written = source === undefined ? name : `${fileIn(definition)}\n${source}`
  return `${written}\n${saidBy(argument)}`
}

/** What an argument says of a function: where in a list it stands is said by the order. */
export function saidBy(argument: string | undefined): string {
  return argument?.replace(/(?:\[\d+\])+$/, '') ?? ''
}

export type Sameness = 'same' | 'moved' | 'updated' | undefined

/** How two functions are the same. */
export function sameness(before: Passing, now: Passing, isPresent: (pass: Passing) => boolean): Sameness {
  if (keyOf(before) === keyOf(now)) return 'same'
  const isSameFile = fileIn(before.definition) === fileIn(now.definition)
  // What cannot be told is a finding of its own.
  const isUnknown = before.unverifiable || now.unverifiable
  const isSameName = before.name === now.name
  if (isUnknown && isSameFile && before.source === now.source && (isSameName || before.source !== undefined))
    return 'same'
  if (saidBy(before.argument) !== saidBy(now.argument)) return undefined
  if (before.source !== undefined && before.source === now.source && !isSameFile) {
    return isPresent(before) ? undefined : 'moved'
  }
  // Another version of a package: what it does is for its changelog to say.
  // A lock may be older than the names that are read from the source.
  const isUnnamed = isSameName || (isNameless(before) !== isNameless(now) && before.source && now.source)
  if (isSameFile && isOfPackage(before.definition) && isUnnamed) return 'updated'
  return undefined
}

const isNameless = ({ name }: Pick<Passing, 'name'>): boolean => name === '<anonymous>'

/** A function as it is named in a finding: by what tells it from others. */
export function labelOf({ name, argument, param, definition }: Passing): string {
  const short = shortened(argument, 60)
  const given = short === name ? undefined : short
  const unnamed = given ?? `${name} of ${fileIn(definition) || 'native code'}`
  const named = given === undefined ? name : `${name} (${given})`
  const own = isNameless({ name }) ? unnamed : named
  return param === undefined ? own : `param ${param}: ${own}`
}

/** An argument that is not too long to be read; of a longer call its name. */
export function shortened(argument: string | undefined, most: number): string | undefined {
  if (argument === undefined || argument.length <= most) return argument
  const [called] = /^[\w$.]+(?=\()/.exec(argument) ?? []
  return called === undefined || called.length > most ? undefined : `${called}(...)`
}
