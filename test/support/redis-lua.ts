// Runs a script as Redis does: in Lua, with KEYS, ARGV, redis.call, redis.pcall and cjson.decode.
import { type LuaEngine, LuaFactory } from 'wasmoon'

export type Reply = string | number | null | readonly Reply[]

/** A command of Redis with its arguments. Throws what Redis refuses it with. */
export type Command = (name: string, ...given: string[]) => Reply

let made: Promise<LuaEngine> | undefined

/** Lua itself, which all scripts of a file of tests share. */
export function startLua(): Promise<LuaEngine> {
  return (made ??= new LuaFactory().createEngine({ enableProxy: false }))
}

/** Gives what the script returns. Throws what it, or a command, has failed with. */
export function runLua(
  lua: LuaEngine,
  script: string,
  keys: readonly string[],
  given: readonly string[],
  command: Command,
): Reply {
  // What is not there is false in Lua.
  const call = (name: string, ...all: unknown[]): unknown => command(name, ...all.map(textOf)) ?? false
  lua.global.set('KEYS', keys)
  lua.global.set('ARGV', given)
  lua.global.set('redis', {
    call,
    pcall: (name: string, ...all: unknown[]): unknown => {
      try {
        return call(name, ...all)
      } catch (error) {
        return { err: (error as Error).message }
      }
    },
  })
  lua.global.set('cjson', { decode: (text: string): unknown => JSON.parse(text, wholeText) })
  // Redis has Lua 5.1, where it is a global.
  return lua.doStringSync(`local unpack = table.unpack\n${script}`) as Reply
}

/** Redis reads no half of a surrogate pair. */
function wholeText(_name: string, value: unknown): unknown {
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value))
    throw new Error('invalid unicode escape code')
  return value
}

/** Redis takes texts and numbers. */
function textOf(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new Error('ERR Lua redis lib command arguments must be strings or integers')
}
