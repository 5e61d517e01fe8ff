// Looks at entries in one process, one after the other, with the preload of the command: what Node and Express take to load is paid
// once. What an entry could leave behind is taken away before the next one. Where only a process of its own shows what an entry does
// (it fails, it exits, it does not end), this one says so, and ends.
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import Module, { createRequire } from 'node:module'
import net from 'node:net'
import { join } from 'node:path'
import type { Report } from '../../packages/cli/src/documents/child.js'
import { start } from '../../packages/cli/src/preload.js'
import { endsItself, type LookAnswer, type LookRequest } from './look-documents.js'

const require = createRequire(process.argv[2]!)
const load = (Module as unknown as { _load: (file: string, parent: null, isMain: true) => void })._load
const { execPath } = process
const exit: () => void = process.exit.bind(process)
const { existsSync } = fs
const environment = { ...process.env }

// Both versions of Express stay loaded, and nothing else does. Express 4 keeps this function of Object from when it was loaded; but it is
// to call the one that stands there when an entry runs, which records.
const { setPrototypeOf } = Object
Object.setPrototypeOf = (...given) => Object.setPrototypeOf(...given)
const expresses = ['express', 'express4'].map((name) => require(name) as Record<string, unknown>)
Object.setPrototypeOf = setPrototypeOf
const kept = new Set(Object.keys(require.cache))

/** What an entry, or the recorder, may put functions of its own into. */
const owners = [
  [globalThis, console, JSON, Math, Reflect, Buffer, fs, http, https, net],
  [Object, Function, Array, String, Number, Boolean, RegExp, Map, Set, Promise, Error],
  [http.Server, https.Server, net.Server, http.IncomingMessage, http.OutgoingMessage, http.ServerResponse],
  ...expresses.map((express) => [express, ...Object.values(express)]),
]
  .flat()
  .filter((one) => typeof one === 'function' || (typeof one === 'object' && one !== null))
  .flatMap((one) => [one, (one as { prototype?: object }).prototype ?? one])
const { defineProperty, deleteProperty, getOwnPropertyDescriptor, ownKeys } = Reflect
const members = owners.map((owner) => ({
  owner,
  own: new Map(ownKeys(owner).map((name) => [name, getOwnPropertyDescriptor(owner, name)!])),
}))

function restore(): void {
  for (const { owner, own } of members) {
    for (const name of ownKeys(owner)) if (!own.has(name)) deleteProperty(owner, name)
    for (const [name, before] of own) {
      const now = getOwnPropertyDescriptor(owner, name)
      if (now === undefined || now.value !== before.value || now.get !== before.get)
        defineProperty(owner, name, before)
    }
  }
  for (const name of Object.keys(require.cache)) if (!kept.has(name)) delete require.cache[name]
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  for (const name of process.eventNames()) if (!events.has(name)) process.removeAllListeners(name)
}

/** The files that entries have told. */
const told = new Set<string>()

/** A report without the files that entries before have loaded: V8 knows the scripts of the whole process. */
function ofOneEntry(report: Report, loaded: ReadonlySet<string>): Report {
  const { registered } = report
  if (registered === undefined) return report
  const files = registered.files.filter((one) => loaded.has(one) || !told.has(one))
  for (const one of files) told.add(one)
  return { ...report, registered: { ...registered, files } }
}

function look({ entry, parameters, cwd, env, settings }: LookRequest): void {
  const file = join(settings.reports, `${process.pid}.json`)
  const chunks: string[] = []
  let isOver = false
  const end = (): void => {
    if (isOver) return
    const loaded = new Set(Object.keys(require.cache))
    restore()
    const report = existsSync(file)
      ? ofOneEntry(JSON.parse(fs.readFileSync(file, 'utf8')) as Report, loaded)
      : undefined
    isOver = true
    clearInterval(timer)
    process.channel!.ref()
    const answer: LookAnswer = { report, written: chunks.join('') }
    process.send!(answer, () => {
      if (!endsItself(answer)) exit()
    })
  }
  const collect = (chunk: string | Uint8Array): boolean => {
    chunks.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    return true
  }
  const timer = setInterval(() => {
    if (existsSync(file)) end()
  }, 10)
  timer.unref()
  process.stdout.write = collect
  process.stderr.write = collect
  process.exit = () => {
    end()
    throw new Error('The entry has called process.exit.')
  }
  process.chdir(cwd)
  Object.assign(process.env, env)
  process.argv = [execPath, entry, ...parameters]
  start(settings)
  process.once('uncaughtException', () => end())
  // The loop is empty: a process of its own would end here.
  process.once('beforeExit', (code) => {
    process.emit('exit', code)
    end()
  })
  process.channel!.unref()
  try {
    load(entry, null, true)
  } catch {
    end()
  }
}

process.once('disconnect', () => exit())
process.on('message', (request: LookRequest) => look(request))
const events = new Set(process.eventNames())
