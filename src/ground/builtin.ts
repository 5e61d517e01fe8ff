import type * as asyncHooks from 'node:async_hooks'
import type cluster from 'node:cluster'
import type * as crypto from 'node:crypto'
import type * as diagnosticsChannel from 'node:diagnostics_channel'
import type * as fs from 'node:fs'
import type * as http from 'node:http'
import type * as http2 from 'node:http2'
import type * as https from 'node:https'
import type * as module from 'node:module'
import type * as net from 'node:net'
import type * as os from 'node:os'
import type * as path from 'node:path'
import type * as stream from 'node:stream'
import type * as timers from 'node:timers'
import type * as url from 'node:url'
import type * as zlib from 'node:zlib'
import { RouteControllersError } from './errors.js'

/** What this package needs of Node. */
interface Builtins {
  readonly 'node:async_hooks': typeof asyncHooks
  readonly 'node:cluster': typeof cluster
  readonly 'node:crypto': typeof crypto
  readonly 'node:diagnostics_channel': typeof diagnosticsChannel
  readonly 'node:fs': typeof fs
  readonly 'node:http': typeof http
  readonly 'node:http2': typeof http2
  readonly 'node:https': typeof https
  readonly 'node:module': typeof module
  readonly 'node:net': typeof net
  readonly 'node:os': typeof os
  readonly 'node:path': typeof path
  readonly 'node:stream': typeof stream
  readonly 'node:timers': typeof timers
  readonly 'node:url': typeof url
  readonly 'node:zlib': typeof zlib
}

/**
 * A module of Node; undefined where there is none.
 *
 * It is not imported. A bundle in one file has the imports of all its parts at its top, and does not load where such a module is
 * missing. Jest also refuses `import()` in CommonJS.
 */
export function findBuiltin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  return globalThis.process?.getBuiltinModule?.(name as string) as Builtins[Name] | undefined
}

/** A module of Node that `what` needs. Throws ERR_RUNTIME_UNSUPPORTED where there is none, with `remedy` in its message. */
export function builtin<Name extends keyof Builtins>(
  name: Name,
  what: string,
  remedy?: string,
): Builtins[Name] {
  const found = findBuiltin(name)
  if (found === undefined) {
    throw new RouteControllersError(
      'ERR_RUNTIME_UNSUPPORTED',
      `${what} needs ${name}, which is not here${remedy === undefined ? '' : `: ${remedy}`}`,
    )
  }
  return found
}
