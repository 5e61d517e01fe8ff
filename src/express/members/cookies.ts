import { sign } from 'cookie-signature'
import { serialize } from 'express-cookie'
import type { ExpressVersion } from '../application.js'
import type { CookieOptions } from '../handler.js'
import type { ResponseMethods } from './response.js'

/** The members of `res` that set cookies. */
export function cookieMethods(version: ExpressVersion): ResponseMethods {
  return {
    cookie(name: string, value: string | object, given?: CookieOptions) {
      const options = copy(version, given)
      const { secret } = this.req as { secret?: string }
      if (options.signed && !secret) throw new Error('cookieParser("secret") required for signed cookies')
      const text = typeof value === 'object' ? `j:${JSON.stringify(value)}` : String(value)
      const maxAge = options.maxAge == null ? NaN : options.maxAge - 0
      if (!Number.isNaN(maxAge)) {
        options.expires = new Date(Date.now() + maxAge)
        options.maxAge = Math.floor(maxAge / 1000)
      }
      options.path ??= '/'
      return this.append(
        'Set-Cookie',
        serialize(name, options.signed ? `s:${sign(text, secret!)}` : text, options),
      )
    },
    clearCookie(name: string, given?: CookieOptions) {
      const expires = new Date(1)
      if (version === 4) return this.cookie(name, '', { expires, path: '/', ...copy(4, given) })
      const { maxAge: _maxAge, ...options } = { path: '/', ...given, expires }
      return this.cookie(name, '', options)
    },
  }
}

function copy(version: ExpressVersion, options: CookieOptions | undefined): CookieOptions {
  if (version === 5) return { ...options }
  // In version 4 what is inherited counts too.
  const all: Record<string, unknown> = {}
  for (const name in options) all[name] = options[name as keyof CookieOptions]
  return all
}
