// Some apps put functions of their own in the place of others: of `JSON.stringify`, of members of `Array.prototype`, of `fs.readFileSync`.
// While an app is looked into, what stood there when this file was loaded stands there again. Nothing of the app runs meanwhile.
import fs from 'node:fs'

const prototypes: readonly object[] = [
  ...[Object, Function, Array, String, Number, Boolean, RegExp, Map, Set, WeakMap, WeakSet, Error, URL],
  Buffer,
].map((one) => one.prototype as object)
const owners: readonly object[] = [
  JSON,
  Math,
  Object,
  Reflect,
  Error,
  Array,
  String,
  Buffer,
  fs,
  ...prototypes,
]

// Their own methods may be other ones, too: what follows calls none of them.
const { defineProperty, deleteProperty, getOwnPropertyDescriptor, ownKeys, setPrototypeOf } = Reflect

interface Member {
  readonly owner: object
  readonly name: PropertyKey
  readonly descriptor: PropertyDescriptor
}

/** A descriptor that inherits nothing: an app may have put a `get` or a `value` on all objects. */
function describe(owner: object, name: PropertyKey): PropertyDescriptor | undefined {
  const descriptor = getOwnPropertyDescriptor(owner, name)
  if (descriptor !== undefined) setPrototypeOf(descriptor, null)
  return descriptor
}

const members: Member[] = []
for (const owner of owners) {
  for (const name of ownKeys(owner)) {
    members.push({ owner, name, descriptor: describe(owner, name)! })
  }
}
/** The names that each of the prototypes had. */
const names = prototypes.map((owner) => {
  const known = Object.create(null) as Record<PropertyKey, true>
  for (const name of ownKeys(owner)) known[name] = true
  return known
})

/** Does something with the functions that stood there before the app. */
export function withOwnFunctions<T>(action: () => T): T {
  const changed: Member[] = []
  const added: Member[] = []
  let changes = 0
  let additions = 0
  for (let at = 0; at < members.length; at++) {
    const { owner, name, descriptor } = members[at]!
    const now = describe(owner, name)
    if (now !== undefined && now.value === descriptor.value && now.get === descriptor.get) continue
    // One that cannot be put back is left as it is.
    if (now !== undefined && defineProperty(owner, name, descriptor)) {
      changed[changes++] = { owner, name, descriptor: now }
    }
  }
  for (let at = 0; at < prototypes.length; at++) {
    const owner = prototypes[at]!
    const keys = ownKeys(owner)
    for (let key = 0; key < keys.length; key++) {
      const name = keys[key]!
      if (names[at]![name]) continue
      const descriptor = describe(owner, name)!
      if (deleteProperty(owner, name)) added[additions++] = { owner, name, descriptor }
    }
  }
  try {
    return action()
  } finally {
    for (let at = 0; at < additions; at++) restore(added[at]!)
    for (let at = 0; at < changes; at++) restore(changed[at]!)
  }
}

function restore({ owner, name, descriptor }: Member): void {
  defineProperty(owner, name, descriptor)
}
