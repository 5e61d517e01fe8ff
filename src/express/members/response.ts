import statuses from 'statuses'
import { assignable } from '../../assignable.js'
import type { ExpressVersion } from '../application.js'
import { cookieMethods } from './cookies.js'
import type { ExpressRequest, ExpressResponse } from '../handler.js'
import { negotiatingMethods } from './negotiate.js'
import { headerMethods } from './response-headers.js'
import { bodyMethods } from './send-body.js'
import { fileMethods } from './send-file.js'
import type { RenderCallback } from '../view.js'

/** Methods of `res`, which handlers call, and which call one another by their names as somebody may have replaced them. */
export type ResponseMethods = Readonly<Record<string, (this: ExpressResponse, ...given: never[]) => unknown>>

/** What Express adds to `res`. */
export function responseMembers(version: ExpressVersion): PropertyDescriptorMap {
  const methods: ResponseMethods = {
    ...statusMethods(version),
    ...bodyMethods(version),
    ...headerMethods(version),
    ...cookieMethods(version),
    ...negotiatingMethods(version),
    ...fileMethods(version),
    render,
  }
  const members: PropertyDescriptorMap = { locals }
  for (const [name, value] of Object.entries(methods)) {
    members[name] = { value, writable: true, configurable: true }
  }
  return members
}

function statusMethods(version: ExpressVersion): ResponseMethods {
  return {
    status(code: number) {
      if (version === 5) checkStatus(code)
      this.statusCode = code
      return this
    },
    sendStatus(code: number) {
      const body = statuses.message[code] || String(code)
      if (version === 5) this.status(code)
      else this.statusCode = code
      this.type('txt')
      return this.send(body)
    },
  }
}

function checkStatus(code: number): void {
  const shown = `Invalid status code: ${JSON.stringify(code)}. Status code must be`
  if (!Number.isInteger(code)) throw new TypeError(`${shown} an integer.`)
  if (code < 100 || code > 999) throw new RangeError(`${shown} greater than 99 and less than 1000.`)
}

/** Made when it is first asked for, and the response's own from then on, whoever it goes to. */
const locals: PropertyDescriptor = assignable<ExpressResponse>('locals', function () {
  return (this.locals = Object.create(null) as ExpressResponse['locals'])
})

function render(
  this: ExpressResponse,
  view: string,
  second?: object | RenderCallback,
  third?: RenderCallback,
): void {
  const request = this.req as ExpressRequest
  const isLast = typeof second === 'function'
  const options: { _locals?: object } = isLast ? {} : (second ?? {})
  const sendRendered: RenderCallback = (error, html) => {
    if (error) request.next(error)
    else this.send(html)
  }
  options._locals = this.locals
  request.app.render(view, options, (isLast ? (second as RenderCallback) : third) ?? sendRendered)
}
