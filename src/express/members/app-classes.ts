import { builtin } from '../../ground/builtin.js'
import { createNote } from '../../ground/introspection-key.js'
import type { NodeClasses } from '../../ground/types.js'
import { type App, versionOf } from '../model/router.js'
import { expressVersions } from '../model/versions.js'
import { shortenJson } from './short-json.js'

/** What an app gives to requests or responses, and the class that has been made of it. */
type AppClass = abstract new (...parameters: never[]) => object

// On the prototype: CommonJS and ESM each have a copy of this package, and an app has one class for both.
const note = createNote<AppClass>('app-class')

/**
 * The classes of an app's own requests and responses, one of each for an app: `app.request` and `app.response` are their prototypes.
 *
 * Express gives each request and each response of another class a new prototype, which costs more than all else that it does for
 * them. Here it finds the prototype in its place. The app's own members move to that of the class. The object that had them is
 * emptied and leads there, for apps that were mounted before and lead to it. An app whose members cannot be moved gets Node's classes.
 * Throws ERR_EXPRESS_VERSION.
 */
export function classesOf(app: App): NodeClasses {
  const { IncomingMessage, ServerResponse } = builtin('node:http', 'createServer')
  const request = Object.assign(new IncomingMessage(undefined as never), setBefore(app))
  return {
    IncomingMessage: classOf(app, 'request', IncomingMessage, request),
    ServerResponse: classOf(app, 'response', ServerResponse, new ServerResponse(request)),
  }
}

/** What Express sets on a request before it gives it its prototype. */
function setBefore(app: App): object {
  const readsQuery = expressVersions[versionOf(app)].initialLayers.includes('query')
  return { res: undefined, next: undefined, ...(readsQuery && { query: undefined }) }
}

/** `sample` has the members that an object has before Express gives it its prototype. */
function classOf<Class extends AppClass>(
  app: App,
  name: 'request' | 'response',
  Original: Class,
  sample: object,
): Class {
  const old = app[name]
  const known = note.read(old)
  // An object that inherits from the prototype has the note, too.
  if (known?.prototype === old) return known as Class
  if (!canMove(app, name) || countsTooEarly(old, Original, sample)) return Original
  const AppClass = class extends (Original as unknown as new () => object) {}
  const { prototype } = AppClass
  // What an object says of its class is as it was.
  Reflect.deleteProperty(prototype, 'constructor')
  Object.setPrototypeOf(prototype, Object.getPrototypeOf(old) as object | null)
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(old))
  for (const member of Reflect.ownKeys(old)) Reflect.deleteProperty(old, member)
  Object.setPrototypeOf(old, prototype)
  note.write(prototype, AppClass)
  Object.assign(app, { [name]: prototype })
  if (name === 'response') shortenJson(app, prototype)
  return AppClass as unknown as Class
}

/** False for what is frozen or sealed, and for an app that does not hold its members itself. */
function canMove(app: App, name: 'request' | 'response'): boolean {
  const old = app[name]
  const members = Object.values(Object.getOwnPropertyDescriptors(old))
  return (
    Object.getOwnPropertyDescriptor(app, name)?.writable === true &&
    Object.isExtensible(old) &&
    members.every(({ configurable }) => configurable)
  )
}

/** True where a member would take the place of one of Node's, which on a plain server is used until Express replaces the prototype. */
function countsTooEarly(prototype: object, Original: AppClass, sample: object): boolean {
  let one: object | null = prototype
  while (one !== null && one !== Original.prototype) {
    if (Reflect.ownKeys(one).some((member) => member in sample)) return true
    one = Object.getPrototypeOf(one) as object | null
  }
  return false
}
