import type { IncomingMessage, ServerResponse } from 'node:http'
import { MemberLayer } from '../node/member-layer.js'
import type { ExtendClasses } from '../types.js'

const requestLayer = new MemberLayer('express-request', {})
const responseLayer = new MemberLayer('express-response', {
  status: {
    value(this: ServerResponse, code: number) {
      this.statusCode = code
      return this
    },
    writable: true,
    configurable: true,
  },
  json: {
    value(this: ServerResponse, body: unknown) {
      const text = JSON.stringify(body)
      this.setHeader('Content-Type', 'application/json; charset=utf-8')
      this.setHeader('Content-Length', Buffer.byteLength(text))
      this.end(text)
      return this
    },
    writable: true,
    configurable: true,
  },
})

/** The classes of a server whose requests and responses have Express's members from the beginning. */
export const extendClasses: ExtendClasses = ({ IncomingMessage, ServerResponse }) => ({
  IncomingMessage: requestLayer.extend(IncomingMessage),
  ServerResponse: responseLayer.extend(ServerResponse),
})

/** Puts Express's members on a request and a response that do not have them; a host Express has its own. */
export function addSurface(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if ('app' in outgoing) return
  requestLayer.addTo(incoming)
  responseLayer.addTo(outgoing)
}
