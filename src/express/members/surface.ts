import type { IncomingMessage, ServerResponse } from 'node:http'
import { assignable } from '../../assignable.js'
import { exchangeKey } from '../../exchange.js'
import type { NodeExchange } from '../../node/exchange.js'
import { canonicalAddress, type Trust } from '../../node/forwarded.js'
import { MemberLayer } from '../../node/member-layer.js'
import type { ExtendClasses } from '../../types.js'
import { appMembers, type Extensible } from './app-members.js'
import { Application, type ExpressApp } from '../application.js'
import { type Manners, requestMembers } from './request.js'
import { responseMembers } from './response.js'
import type { TrustFunction } from '../settings.js'

/** Express's members on Node's request and response, for one application. */
export interface Surface {
  readonly application: Application
  /** The classes of a server whose requests and responses have the members from the beginning. */
  readonly extendClasses: ExtendClasses
  /** Puts the members on a request and a response that do not have them; a host Express has its own. */
  add(incoming: IncomingMessage, outgoing: ServerResponse): void
  /** True for a response that has the members from here, and not from a host Express. */
  isOn(outgoing: ServerResponse): boolean
}

/** What `req.app` is: an application of ours, or the live app that it was taken from. */
export type Live = Pick<ExpressApp, 'get'> & Extensible

interface Incoming extends IncomingMessage {
  [exchangeKey]?: NodeExchange
}

/**
 * Makes the surface of an application: its members stand on prototypes, so that none is put on per request.
 *
 * `live` is the app of Express that the application was made of: it stays what `req.app` is.
 */
export function createSurface(application: Application, manners: Manners, live: Live = application): Surface {
  const applicationOf = trustingApplications(live)
  const ofRequests = requestMembers(application.version, manners)
  const requestLayer = new MemberLayer('express-request', {
    ...ofRequests,
    ...appMembers(live, 'request', ofRequests),
    app: assignable<Incoming>('app', function () {
      return applicationOf(this)
    }),
  })
  const ofResponses = responseMembers(application.version)
  const responseLayer = new MemberLayer('express-response', {
    ...ofResponses,
    ...appMembers(live, 'response', ofResponses),
    app: assignable<ServerResponse>('app', function () {
      return applicationOf(this.req)
    }),
  })
  return {
    application,
    extendClasses: ({ IncomingMessage, ServerResponse }) => ({
      IncomingMessage: requestLayer.extend(IncomingMessage),
      ServerResponse: responseLayer.extend(ServerResponse),
    }),
    isOn: (outgoing) => responseLayer.isOn(outgoing),
    add(incoming: Incoming, outgoing) {
      if (responseLayer.isOn(outgoing)) return
      // A host Express: its own members are in sight again, and its own query.
      if ('app' in outgoing) return incoming[exchangeKey]?.release()
      requestLayer.addTo(incoming)
      responseLayer.addTo(outgoing)
    },
  }
}

/** The application of a request: where `trustProxy` says whom to trust, one that trusts the same. */
function trustingApplications(live: Live): (request: Incoming) => object {
  const applications = new WeakMap<Trust, Live>()
  return (request) => {
    const trust = request[exchangeKey]?.trust
    if (trust === undefined) return live
    let trusting = applications.get(trust)
    if (trusting === undefined) {
      trusting = trustingAs(live, (address) => Boolean(address) && trust(canonicalAddress(address)))
      applications.set(trust, trusting)
    }
    return trusting
  }
}

/** The same application in all else. */
function trustingAs(live: Live, trust: TrustFunction): Live {
  const get = (name: string): unknown =>
    name === 'trust proxy' || name === 'trust proxy fn' ? trust : live.get(name)
  return Object.create(live, { get: { value: get } }) as Live
}

/** Of handlers that are served without a profile. */
export const defaultSurface: Surface = createSurface(new Application(5), 'own')
