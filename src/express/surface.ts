import type { IncomingMessage, ServerResponse } from 'node:http'
import { MemberLayer } from '../node/member-layer.js'
import type { ExtendClasses } from '../types.js'
import { Application } from './application.js'
import { requestMembers } from './request.js'
import { responseMembers } from './response.js'

/** Express's members on Node's request and response, for one application. */
export interface Surface {
  readonly application: Application
  /** The classes of a server whose requests and responses have the members from the beginning. */
  readonly extendClasses: ExtendClasses
  /** Puts the members on a request and a response that do not have them; a host Express has its own. */
  add(incoming: IncomingMessage, outgoing: ServerResponse): void
}

/** Makes the surface of an application: its members stand on prototypes, so that none is put on per request. */
export function createSurface(application: Application): Surface {
  const app: PropertyDescriptorMap = { app: { value: application, writable: true, configurable: true } }
  const requestLayer = new MemberLayer('express-request', { ...requestMembers(application.version), ...app })
  const responseLayer = new MemberLayer('express-response', {
    ...responseMembers(application.version),
    ...app,
  })
  return {
    application,
    extendClasses: ({ IncomingMessage, ServerResponse }) => ({
      IncomingMessage: requestLayer.extend(IncomingMessage),
      ServerResponse: responseLayer.extend(ServerResponse),
    }),
    add(incoming, outgoing) {
      if ('app' in outgoing) return
      requestLayer.addTo(incoming)
      responseLayer.addTo(outgoing)
    },
  }
}

/** Of handlers that are served without a profile. */
export const defaultSurface: Surface = createSurface(new Application(5))
