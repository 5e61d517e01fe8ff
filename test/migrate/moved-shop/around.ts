import type { ErrorRequestHandler, RequestHandler } from 'express'
import { notFoundPage } from '../pages.js'
import type { Setup } from '../setup.js'

/** The guard of everything below `/admin`. */
export function requireAdmin({ isAdminToken }: Setup): RequestHandler {
  return (req, res, next) => {
    if (isAdminToken(req.get('x-admin-token'))) next()
    else res.status(401).json({ error: 'Send the admin token as X-Admin-Token' })
  }
}

export const notFound: RequestHandler = (req, res) => {
  res.status(404).send(notFoundPage(req.path))
}

/** Four arguments: that is how Express tells an error handler. */
export const errorHandler: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) return next(error)
  const status: number = error.status ?? 500
  if (status >= 500) console.error(error)
  res.status(status).json({ error: status >= 500 ? 'Something went wrong' : error.message })
}
