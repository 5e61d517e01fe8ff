// How findings name a function that requests pass.
import type { CheckFinding, ToldPass } from '../documents/check.js'

/** An argument that is not too long to be read; of a longer call its name, with the index in the list that it gives. */
export function shortened(argument: string | undefined, most: number): string | undefined {
  if (argument === undefined || argument.length <= most) return argument
  const [called] = /^[\w$.]+(?=\()/.exec(argument) ?? []
  const [index] = /(?:\[\d+\])*$/.exec(argument)!
  return called === undefined || called.length > most ? undefined : `${called}(...)${index}`
}

/** A function as it is named in a finding: by what tells it from others. */
export function labelOf({ name, argument, param, file }: ToldPass, most = 60): string {
  const short = shortened(argument, most)
  const given = short === name ? undefined : short
  const unnamed = given ?? `${name} of ${file ?? 'native code'}`
  const named = given === undefined ? name : `${name} (${given})`
  const own = name === '<anonymous>' ? unnamed : named
  return param === undefined ? own : `param ${param}: ${own}`
}

/** What has become of a function, with the whole text of what it is made with. */
export function changeText({ was, pass, how }: CheckFinding<'changed'>): string {
  const [before, now] = [labelOf(was, Infinity), labelOf(pass, Infinity)]
  return before === now ? `${labelOf(pass)}, ${changes[how]}` : `${before} to ${now}`
}

const changes: Readonly<Record<CheckFinding<'changed'>['how'], string>> = {
  unknown: 'of which it was not known what it is made with',
  argument: 'in whose argument a text is another',
  value: 'in whose argument a name stands for another value',
  reads: 'which reads or calls something else by its names',
  text: 'whose text is another',
}

// As `inspect` shows them.
const mostWritten = 49
/** What stands before a call that is not to be made once more. */
export const instance = 'the instance of '

/** The call that has a Controller pass a function again; undefined for one that can only be kept with the whole chain. */
export function callOf({ pass, step, mount, list }: CheckFinding<'lost'>): string | undefined {
  const { name, argument, param } = pass
  const written = shortened(argument, mostWritten) ?? (name === '<anonymous>' ? undefined : name)
  if (written === undefined || param !== undefined) return undefined
  if (step === 'native') return `use(${written})`
  // Made once more, a session or a limiter would have a store of its own.
  const given = argument?.includes('(') ? `${instance}${written}` : written
  // Of the route alone: as a hook it would guard all others below that path.
  if (step === 'handler') return `fromExpress(${given}, handler) as its callback`
  const path = pathInList(mount ?? '/', list ?? '/')
  if (path === undefined) return undefined
  return `addGlobal(${path === '/' ? '' : `'${path}', `}${given})`
}

/** A path of the app as the hooks of a list see it, which is mounted; undefined where the one may be beside the other. */
function pathInList(path: string, list: string): string | undefined {
  const [own, outer] = [path, list].map((one) => one.split('/').filter(Boolean)) as [string[], string[]]
  // The names of params may differ.
  const shape = (segment: string | undefined): string | undefined => segment?.replace(/^:.*/, ':')
  const isSame = outer.every((segment, at) => own[at] === undefined || shape(own[at]) === shape(segment))
  return isSame ? `/${own.slice(outer.length).join('/')}` : undefined
}
