import type { ExpressVersion } from './application.js'

/** What Express adds to `req`. */
export function requestMembers(_version: ExpressVersion): PropertyDescriptorMap {
  return {}
}
