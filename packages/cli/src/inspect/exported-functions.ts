// Which functions the loaded files of CommonJS export by now: another file may have put one in the place of one, or around it.
import { types } from 'node:util'
import type { Handle } from 'routecontrollers/express-model'
import type { DefinitionSite, ExportsOf } from '../documents/registered.js'
import type { Sources } from '../syntax/sources.js'
import { sitesOf } from './definition.js'
import { closureOf, type FunctionReader } from './functions.js'
import { requiredFiles } from './loaded-files.js'

const mostFunctions = 5_000
// A table of data may have any number.
const mostMembers = 1_000
const mostPrototypes = 10

// What a source map has last is asked for by a line that no file has.
const lastLine = 2 ** 31 - 1

type Found = ExportsOf['functions'][number]

/** A property of an object. */
interface Member {
  readonly value?: unknown
  readonly get?: (() => unknown) | undefined
  readonly configurable?: boolean | undefined
}

/** An object whose members are to be read. */
interface Waiting {
  readonly path: string
  readonly value: object
  readonly add: (found: Found) => void
}

/** Reads the data properties of what files of the project export, and those of its members. No getter is called. */
export function readExports(functions: FunctionReader, sources: Sources): ExportsOf[] {
  let left = mostFunctions
  const sitesIn = (run: Handle): DefinitionSite[] =>
    left-- > 0 && !types.isProxy(run) ? sitesOf(run, functions, sources) : []
  /** Gives the members that have members. */
  const readMembers = ({ path, value, add }: Waiting): Waiting[] => {
    const members = left > 0 ? membersOf(value) : undefined
    if (members === undefined) {
      add([path, []])
      return []
    }
    return [...members].flatMap(([name, descriptor]) => {
      const own = path === '' ? name : `${path}.${name}`
      if (descriptor.get !== undefined) left--
      const read = readValue(name, descriptor)
      if (read === undefined) {
        add([own, descriptor.configurable === true ? [] : null])
        return []
      }
      const member = read.value
      if (typeof member === 'function') add([own, sitesIn(member as Handle)])
      return hasMembers(member) ? [{ path: own, value: member, add }] : []
    })
  }
  const all: ExportsOf[] = []
  const wholes = requiredFiles().map(([file, exported]): Waiting[] => {
    const found: Found[] = []
    const add = (one: Found): void => void found.push(one)
    all.push({ file: sources.origin({ file, line: lastLine, column: 0 }).file, functions: found })
    if (typeof exported === 'function') add(['', sitesIn(exported as Handle)])
    return hasMembers(exported) ? [{ path: '', value: exported, add }] : []
  })
  // What the files export comes before what that has.
  for (const one of wholes.flat().flatMap(readMembers)) readMembers(one)
  return all
}

function hasMembers(value: unknown): value is object {
  return typeof value === 'function' || (typeof value === 'object' && value !== null && !Array.isArray(value))
}

/** What an object has by its names, and an instance of its classes; undefined where that is not to be seen. */
function membersOf(value: object): ReadonlyMap<string, Member> | undefined {
  const members = new Map<string, Member>()
  let count = 0
  for (let owner: object | null = value; owner !== null; owner = Reflect.getPrototypeOf(owner)) {
    if (types.isProxy(owner) || count++ > mostPrototypes) return undefined
    if (owner === Object.prototype || owner === Function.prototype) break
    const names = Reflect.ownKeys(owner)
    if (names.length > mostMembers) return undefined
    for (const name of names) {
      if (typeof name !== 'string' || name.includes('.') || name === 'constructor' || members.has(name))
        continue
      const isOfFunctions = typeof value === 'function' && /^(?:prototype|arguments|caller)$/.test(name)
      if (!isOfFunctions) members.set(name, descriptorOf(owner, name))
    }
    // A class has what it inherits, and each function has its `call`.
    if (typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value))) break
  }
  return members
}

// What compilers write: `() => show`, `() => from[key]`, `function () { return utils_1.show; }`.
const compiledGetter =
  /^(?:\(\)\s*=>|function\s*\(\)\s*\{\s*return\b)\s*([\w$]+)(?:\.([\w$]+)|(\[[\w$]+\]))?;?\s*\}?$/

/** What a property has: its value, or what the getter of a compiler would give, which is not called. Undefined for any other getter. */
function readValue(name: string, descriptor: Member, depth = 0): { readonly value: unknown } | undefined {
  const { get, value, configurable } = descriptor
  if (get === undefined) return { value }
  if (configurable === true || depth > mostPrototypes) return undefined
  const [, kept, member, computed] = compiledGetter.exec(Function.prototype.toString.call(get)) ?? []
  const object = kept === undefined ? undefined : closureOf(get, kept)
  if (object === undefined) return undefined
  if (member === undefined && computed === undefined) return { value: object }
  if (!hasMembers(object) || types.isProxy(object)) return undefined
  const own = member ?? name
  return readValue(own, descriptorOf(object, own), depth + 1)
}

/** A binding of a module that is not made yet throws. */
function descriptorOf(owner: object, name: string): Member {
  try {
    return Reflect.getOwnPropertyDescriptor(owner, name) ?? { value: undefined }
  } catch {
    return { value: undefined }
  }
}
