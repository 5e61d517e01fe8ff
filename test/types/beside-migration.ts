// What the types of a migration of native callbacks say of copies at their place.
import express from 'express'
import { migration, type RouteStatus } from '@routecontrollers/switch'
import { expectType } from './equal.js'

const app = express()
const switching = migration({ app, shadow: { asIs: ['req.user', 'res.locals.t'] } })
expectType<
  typeof switching.status extends () => { routes: infer Routes } ? Routes : never,
  readonly RouteStatus[]
>()
const { shadow } = switching.status().routes[0]!
expectType<typeof shadow.notCopied, readonly string[]>()
expectType<typeof shadow.asIs, readonly string[]>()

// @ts-expect-error -- the names are a list
migration({ app, shadow: { asIs: 'req.user' } })
// @ts-expect-error -- a name is a text
migration({ app, shadow: { asIs: [7] } })
// @ts-expect-error -- what could not be copied is read, and not set
migration({ app, shadow: { notCopied: ['req.user'] } })
// @ts-expect-error -- nobody but the migration says what was not copied
shadow.notCopied.push('req.user')
// @ts-expect-error -- an app is served as it is: there is nothing to put in front of it
export const none: unknown = switching.serverOptions
// @ts-expect-error -- native callbacks stand in the app, or Controllers stand in front of it
migration({ app, legacy: app })
