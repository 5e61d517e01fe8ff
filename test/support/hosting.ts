import type { Server as HttpServer } from 'node:http'
import express5 from 'express'
import express4 from 'express4'
import type { NodeHandler } from 'routecontrollers'
import { listenOn, type Served, sendTo } from './describe-servings.js'

/** Both Expresses, for `describe.each`. */
export const expresses = [
  ['Express 5', express5],
  ['Express 4', express4],
] as const

/** An application of one of them that says what it makes of an error, and writes nothing on the console. */
export function createExpress(express: typeof express5): ReturnType<typeof express5> {
  return express().set('env', 'test')
}

const open: (() => Promise<void>)[] = []

/** Serves a handler until `closeHosted` is called. */
export async function host(
  handler: NodeHandler,
): Promise<{ port: number; send: Served['send']; server: HttpServer }> {
  const { port, server, close } = await listenOn(handler)
  open.push(close)
  return { port, server, send: sendTo(port) }
}

/** Notes something to be closed after the test, as what `host` serves is. */
export function closeLater(close: () => unknown): void {
  open.push(async () => void (await close()))
}

/** For `afterEach`. */
export async function closeHosted(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close()
}
