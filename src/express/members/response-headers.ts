import { basename, extname } from 'node:path'
import { create as disposition5 } from 'content-disposition'
import encodeUrl from 'encodeurl'
import disposition4 from 'express4-content-disposition'
import setVary from 'vary'
import type { ExpressVersion } from '../application.js'
import { contentTypesOf } from './content-type.js'
import type { ResponseMethods } from './response.js'

/** The members of `res` that set and read headers. */
export function headerMethods(version: ExpressVersion): ResponseMethods {
  const types = contentTypesOf(version)

  const methods: ResponseMethods = {
    set(...given: [unknown, unknown?]) {
      if (given.length !== 2) {
        const headers = given[0] as Record<string, string>
        // Also what it inherits.
        for (const name in headers) this.set(name, headers[name]!)
        return this
      }
      const [field, value] = given as [string, unknown]
      const text = Array.isArray(value) ? value.map(String) : String(value)
      const isType = field.toLowerCase() === 'content-type'
      if (isType && Array.isArray(text)) throw new TypeError('Content-Type cannot be set to an Array')
      this.setHeader(field, isType ? (types.complete(text as string) as string) : text)
      return this
    },
    get(name: string) {
      return this.getHeader(name)
    },
    append(name: string, value: string | string[]) {
      const earlier = this.get(name)
      if (!earlier) return this.set(name, value)
      return this.set(name, ([earlier].flat() as string[]).concat(value))
    },
    vary(name: string | string[]) {
      const isNothing = !name || (Array.isArray(name) && name.length === 0)
      if (version === 5 || !isNothing) setVary(this, name)
      return this
    },
    type(type: string) {
      return this.set('Content-Type', type.includes('/') ? type : types.named(type))
    },
    links(links: Record<string, string | string[]>) {
      const earlier = this.get('Link')
      const added = Object.entries(links).map(([relation, targets]) => {
        const list = version === 5 && Array.isArray(targets) ? targets : [targets]
        return list.map((target) => `<${String(target)}>; rel="${relation}"`).join(', ')
      })
      return this.set('Link', (earlier ? `${String(earlier)}, ` : '') + added.join(', '))
    },
    location(url: string) {
      const isBack = version === 4 && url === 'back'
      return this.set('Location', encodeUrl(isBack ? referrerOf(this) : url))
    },
    attachment(filename?: string) {
      const name = version === 5 && filename !== undefined ? basename(filename) : filename
      if (name) this.type(extname(name))
      return this.set('Content-Disposition', contentDisposition(version, name))
    },
  }
  return { ...methods, header: methods['set']!, contentType: methods['type']! }
}

function referrerOf({ req }: { req: unknown }): string {
  return (req as { get(name: string): string | undefined }).get('Referrer') || '/'
}

/** The Content-Disposition of a file that is to be saved. */
export function contentDisposition(version: ExpressVersion, name: string | undefined): string {
  return version === 4 ? disposition4(name) : disposition5(name)
}
