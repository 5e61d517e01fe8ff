import { Writable } from 'node:stream'
import cors from 'cors'
import session from 'express-session'
import helmet from 'helmet'
import morgan from 'morgan'

/** What many Express apps begin with, with a session or without one. The log line is made and thrown away. */
export function addHooks(add, options = { session: true }) {
  const nowhere = new Writable({ write: (chunk, encoding, done) => done() })
  add(morgan('combined', { stream: nowhere }))
  add(helmet())
  add(cors())
  if (options.session)
    add(session({ secret: 'a bench has no secrets', resave: false, saveUninitialized: false }))
}
