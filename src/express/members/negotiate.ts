import { Buffer } from 'node:buffer'
import escapeHtml from 'escape-html'
import createError from 'http-errors'
import statuses from 'statuses'
import type { ExpressVersion } from '../application.js'
import { contentTypesOf } from './content-type.js'
import type { ExpressRequest, ExpressResponse, NextFunction } from '../handler.js'
import type { ResponseMethods } from './response.js'

type Answer = (req: ExpressRequest, res: ExpressResponse, next: NextFunction) => unknown

/** The members of `res` that answer by what the client accepts. */
export function negotiatingMethods(version: ExpressVersion): ResponseMethods {
  const types = contentTypesOf(version)
  return {
    format(byType: Readonly<Record<string, Answer>>) {
      const request = this.req as ExpressRequest
      const { next } = request
      const keys = Object.keys(byType).filter((key) => key !== 'default')
      const key = keys.length > 0 && request.accepts(keys)
      this.vary('Accept')
      if (key) {
        this.set('Content-Type', types.ofKey(key))
        byType[key]!(request, this, next)
      } else if (byType['default']) {
        byType['default'](request, this, next)
      } else {
        next(createError(406, { types: keys.map((one) => types.ofKey(one)) }))
      }
      return this
    },
    redirect(...given: [unknown, unknown?]) {
      const { status, url } = readTarget(version, given)
      const address = String(this.location(url).get('Location'))
      const reason = statuses.message[status]
      let body = ''
      this.format({
        text() {
          body = `${reason}. Redirecting to ${address}`
        },
        html() {
          const text = `<p>${reason}. Redirecting to ${escapeHtml(address)}</p>`
          body =
            version === 4 ? text : `<!DOCTYPE html><head><title>${reason}</title></head><body>${text}</body>`
        },
        default() {},
      })
      if (version === 4) this.statusCode = status
      else this.status(status)
      this.set('Content-Length', Buffer.byteLength(body))
      if (this.req.method === 'HEAD') this.end()
      else this.end(body)
    },
  }
}

/** `redirect(url)`, `redirect(status, url)`, and in version 4 `redirect(url, status)`. */
function readTarget(version: ExpressVersion, given: [unknown, unknown?]): { status: number; url: string } {
  const [first, second] = given
  const isLast = version === 4 && typeof first !== 'number'
  const [status, url] = given.length !== 2 ? [302, first] : isLast ? [second, first] : [first, second]
  return { status: status as number, url: url as string }
}
