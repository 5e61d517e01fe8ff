import type { ServerResponse } from 'node:http'
import type { ExpressVersion } from './application.js'

/** What Express adds to `res`. */
export function responseMembers(_version: ExpressVersion): PropertyDescriptorMap {
  return {
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
  }
}
