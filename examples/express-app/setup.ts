import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import compression from 'compression'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import type { RequestHandler } from 'express'
import session from 'express-session'
import helmet from 'helmet'
import morgan from 'morgan'
import { Shop, type Cart } from './shop.js'

declare module 'express-session' {
  interface SessionData {
    customer: string
    cart: Cart
  }
}

export interface SetupOptions {
  /** The folder of the static files: only the entry point knows where it lies. */
  publicFolder: string
  adminToken: string
  /** Takes one line per request that was answered. */
  log: (line: string) => void
}

/** What every way of serving the shop shares: one shop, one session store, one instance of each middleware. */
export interface Setup {
  shop: Shop
  publicFolder: string
  /** What every answer passes through, in this order, whoever gives it. */
  middleware: RequestHandler[]
  isAdminToken: (token: string | undefined) => boolean
}

export function createSetup({ publicFolder, adminToken, log }: SetupOptions): Setup {
  return {
    shop: new Shop(),
    publicFolder,
    middleware: [
      morgan('tiny', { stream: { write: (line) => log(line.trimEnd()) } }),
      helmet(),
      cors(),
      compression(),
      cookieParser(),
      session({
        name: 'shop.sid',
        // Sessions live in memory and end with the process, so their secret may as well.
        secret: randomBytes(32),
        resave: false,
        saveUninitialized: false,
        cookie: { httpOnly: true, sameSite: 'lax' },
      }),
    ],
    isAdminToken: (token) => token !== undefined && timingSafeEqual(digest(token), digest(adminToken)),
  }
}

/** Digests have one length, which timingSafeEqual asks for, and comparing them tells nothing about the text. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
