import type { IncomingMessage } from 'node:http'
import { expressLayer, ownMembers, whilePrepared } from './members.js'

type Incoming = IncomingMessage & { readonly app?: { readonly request?: object } }

const asked = new WeakSet<object>()

/**
 * Gives the requests of an app the members of callbacks, once for all of them: on `app.request`, where the app keeps members of its own.
 *
 * On each request they would be a prototype of its own, which costs as much as all else that is done for it. A request has them while a
 * callback has it, and otherwise what it inherits. An app that has such a member of its own, or takes none, gets none of them.
 */
export function shareMembers(incoming: Incoming): void {
  const own = incoming.app?.request
  if (own === undefined || asked.has(own)) return
  asked.add(own)
  const names = Reflect.ownKeys(ownMembers)
  if (Object.getPrototypeOf(incoming) !== own || expressLayer.isOn(incoming)) return
  if (!Object.isExtensible(own) || names.some((name) => Object.hasOwn(own, name))) return
  for (const name of names) {
    Object.defineProperty(own, name, whilePrepared(own, name, ownMembers[name as string]!))
  }
  expressLayer.mark(own)
}
