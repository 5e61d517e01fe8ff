/** What may extend the requests and responses of an app: `app.request.isAdmin = …`, `app.response.message = …`. */
export interface Extensible {
  readonly request?: object
  readonly response?: object
}

/**
 * What an app of Express has put on its requests or responses beside the members that all have.
 *
 * Also what was put on those of all apps, `express.response.message = …`; but what was put there in place of a member that Express
 * has cannot be told from Express's own.
 */
export function appMembers(
  app: Extensible,
  kind: 'request' | 'response',
  known: PropertyDescriptorMap,
): PropertyDescriptorMap {
  const prototype = app[kind]
  if (prototype === undefined) return {}
  const ofAll = Object.getPrototypeOf(prototype) as object
  const members: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(ofAll)
  for (const name of Object.keys(members)) {
    if (name in known || elsewhere.includes(name)) delete members[name]
  }
  return { ...members, ...ownMembers(prototype) }
}

// What Express keeps there for itself.
const elsewhere = ['constructor', 'app', 'res', 'req']

function ownMembers(prototype: object): PropertyDescriptorMap {
  const members: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(prototype)
  delete members['app']
  return members
}

/** True for an app that has such members of its own. */
export function extendsMembers({ request, response }: Required<Extensible>): boolean {
  return [request, response].some((prototype) => Object.keys(ownMembers(prototype)).length > 0)
}
