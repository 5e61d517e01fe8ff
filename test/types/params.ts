import type { PathParams } from '../../src/routing/params.js'
import { type Equal, expectTrue } from './equal.js'

expectTrue<Equal<PathParams<'/users/:userId'>, { userId: string }>>()
expectTrue<Equal<PathParams<'/:a'>, { a: string }>>()
expectTrue<Equal<PathParams<'/:a/'>, { a: string }>>()
expectTrue<Equal<PathParams<'/:a//:b'>, { a: string; b: string }>>()
expectTrue<Equal<PathParams<'/shops/:shop/orders/:order'>, { shop: string; order: string }>>()

// A wildcard goes by its name, or by '*'.
expectTrue<Equal<PathParams<'/users/:userId/*rest'>, { userId: string; rest: string }>>()
expectTrue<Equal<PathParams<'/files/*'>, { '*': string }>>()
expectTrue<Equal<PathParams<'*'>, { '*': string }>>()
expectTrue<Equal<PathParams<'/*'>, { '*': string }>>()

// No params, no keys.
expectTrue<Equal<keyof PathParams<'/'>, never>>()
expectTrue<Equal<keyof PathParams<'/users'>, never>>()
expectTrue<Equal<keyof PathParams<'/users/'>, never>>()
expectTrue<Equal<PathParams<'/users'>, Record<never, string>>>()

// What is not known as a literal can have any.
expectTrue<Equal<PathParams<string>, Record<string, string>>>()
expectTrue<Equal<PathParams<`/${string}`>, Record<string, string>>>()
expectTrue<Equal<PathParams<`/users/${string}/:id`>, Record<string, string>>>()

// A union of paths gives a union of params.
expectTrue<Equal<PathParams<'/:a' | '/:b'>, { a: string } | { b: string }>>()
expectTrue<Equal<PathParams<never>, never>>()

// As deep as a pattern may be.
type Deep<Path extends string> = `${Path}${Path}${Path}${Path}`
expectTrue<Equal<PathParams<`${Deep<Deep<'/a/b'>>}${Deep<Deep<'/c/d'>>}/:id`>, { id: string }>>()

declare const params: PathParams<'/users/:userId/*rest'>
const _userId: string = params.userId
const _rest: string = params.rest

// @ts-expect-error a name that the pattern does not have
void params.userID

// @ts-expect-error params are strings
const _number: number = params.userId

declare const none: PathParams<'/users'>
// @ts-expect-error no params, no names
void none.userId
