// Random apps, written as files, and small changes of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LockedRoute } from '@routecontrollers/cli'
import { native } from 'routecontrollers/express'
import { below, pick, type Random } from '../hard/random.js'

const requireFile = createRequire(join(process.cwd(), 'package.json'))

interface Guard {
  readonly name: string
  /** Of one that a factory has made: what it was made with. */
  readonly made?: string
}
export type Item =
  | { readonly is: 'use'; readonly path: string; readonly guards: readonly Guard[] }
  | {
      readonly is: 'route'
      readonly method: string
      readonly path: string
      readonly guards: readonly Guard[]
      readonly name: string
      /** The name of a native callback before the handler. */
      readonly native?: string
    }
  | { readonly is: 'errors'; readonly path: string; readonly name: string }
  | { readonly is: 'param'; readonly param: string; readonly guard: Guard }
  | {
      readonly is: 'router'
      readonly path: string
      readonly settings: string
      readonly items: readonly Item[]
    }

const folder = mkdtempSync(join(tmpdir(), 'mutations-'))

/** Removes the files of all apps. */
export function removeFiles(): void {
  rmSync(folder, { recursive: true })
}

let names = 0
/** Makes the next names the same as the first ones. */
export function restartNames(): void {
  names = 0
}
const next = (kind: string): string => `${kind}${++names}`

function createGuard(random: Random): Guard {
  return random() < 0.5 ? { name: next('guard') } : { name: 'make', made: next('role') }
}

export function createItems(random: Random, depth: number): Item[] {
  const items: Item[] = []
  const paths = ['/a', '/b', '/:id', '/x/:name', '/b/c']
  for (let left = 2 + below(random, 4); left > 0; left--) {
    const chance = random()
    const path = pick(random, paths)
    const guards = Array.from({ length: below(random, 3) }, () => createGuard(random))
    if (chance < 0.25)
      items.push({ is: 'use', path: random() < 0.5 ? '/' : path, guards: [...guards, createGuard(random)] })
    else if (chance < 0.35)
      items.push({ is: 'param', param: pick(random, ['id', 'name']), guard: { name: next('param') } })
    else if (chance < 0.55 && depth < 2) {
      const settings = `{ mergeParams: ${random() < 0.5}, strict: ${random() < 0.2} }`
      items.push({ is: 'router', path, settings, items: createItems(random, depth + 1) })
    } else {
      items.push({
        is: 'route',
        method: pick(random, ['get', 'get', 'post']),
        path,
        guards,
        name: next('route'),
      })
    }
  }
  return items
}

/** How a source is written, which says nothing of what it does. */
export interface Layout {
  readonly linesAbove: number
  readonly isWide: boolean
  readonly ownFile: boolean
}

export const plain: Layout = { linesAbove: 0, isWide: false, ownFile: false }
let folders = 0

/** Writes an app as a file, and loads it. */
export function load(
  items: readonly Item[],
  express: any,
  { linesAbove, isWide, ownFile }: Layout,
): { app: any; root: string } {
  const guards = new Set<string>()
  const collect = (list: readonly Item[]): void => {
    for (const item of list) {
      if (item.is === 'router') collect(item.items)
      else if (item.is === 'param') guards.add(item.guard.name)
      else if (item.is === 'use' || item.is === 'route') for (const { name } of item.guards) guards.add(name)
    }
  }
  collect(items)
  const functions = [...guards].map((name) =>
    name === 'make'
      ? 'exports.make = (role) => function made(req, res, next) { req.pass(role); next() }'
      : `exports.${name} = function ${name}(req, res, next) { req.pass('${name}'); next() }`,
  )
  const called = ({ name, made }: Guard): string =>
    made === undefined
      ? `guards.${name}`
      : isWide
        ? `guards.make(\n  "${made}",\n)`
        : `guards.make('${made}')`
  let routers = 0
  const lines = (list: readonly Item[], owner: string): string[] =>
    list.flatMap((item) => {
      if (item.is === 'use') return [`${owner}.use('${item.path}', ${item.guards.map(called).join(', ')})`]
      if (item.is === 'param') return [`${owner}.param('${item.param}', ${called(item.guard)})`]
      if (item.is === 'errors')
        return [`${owner}.use('${item.path}', function ${item.name}(e, req, res, next) { next(e) })`]
      if (item.is === 'route') {
        const answer = `(req, res) => { req.pass('${item.name}'); res.end() }`
        const before =
          item.native === undefined
            ? []
            : [`native(function ${item.native}(req, res) { return res.text('new') })`]
        const handlers = [...item.guards.map(called), ...before, answer]
        return [`${owner}.${item.method}('${item.path}', ${handlers.join(', ')})`]
      }
      const name = `router${++routers}`
      return [
        `const ${name} = express.Router(${item.settings})`,
        ...lines(item.items, name),
        `${owner}.use('${item.path}', ${name})`,
      ]
    })
  // The same names in a folder of its own, as another revision of a project has them.
  const root = join(folder, String(++folders))
  mkdirSync(root)
  const file = join(root, 'app.cjs')
  const guardsFile = join(root, ownFile ? 'other.cjs' : 'guards.cjs')
  writeFileSync(guardsFile, `${functions.join('\n')}\n`)
  writeFileSync(
    file,
    `${'// A line above.\n'.repeat(linesAbove)}module.exports = (express, native) => {
  const guards = require(${JSON.stringify(guardsFile)})
  const app = express()
  ${lines(items, 'app').join('\n  ')}
  return app
}
`,
  )
  return { app: (requireFile(file) as (...given: unknown[]) => any)(express, native), root }
}

export type Mutate = (random: Random, items: readonly Item[]) => readonly Item[]

/** Changes one list of items, somewhere. */
export const somewhere =
  (change: (random: Random, items: Item[]) => void): Mutate =>
  (random, items) => {
    const copy = [...items]
    const routers = copy.flatMap((item, at) => (item.is === 'router' ? [at] : []))
    if (routers.length > 0 && random() < 0.5) {
      const at = pick(random, routers)
      const router = copy[at] as Extract<Item, { is: 'router' }>
      copy[at] = { ...router, items: somewhere(change)(random, router.items) }
    } else change(random, copy)
    return copy
  }

const withGuards = (change: (random: Random, guards: Guard[]) => void): Mutate =>
  somewhere((random, items) => {
    const at = items.flatMap((item, one) => ('guards' in item && item.guards.length > 0 ? [one] : []))
    if (at.length === 0) return
    const chosen = pick(random, at)
    const item = items[chosen] as Extract<Item, { guards: readonly Guard[] }>
    const guards = [...item.guards]
    change(random, guards)
    if (guards.length > 0 || item.is === 'route') items[chosen] = { ...item, guards }
    else items.splice(chosen, 1)
  })

export const mutations: Record<string, [mutate: Mutate, layout?: Partial<Layout>]> = {
  'drop a guard': [withGuards((random, guards) => void guards.splice(below(random, guards.length), 1))],
  'change the argument of a factory': [
    withGuards((random, guards) => {
      const at = guards.findIndex(({ made }) => made !== undefined)
      if (at >= 0) guards[at] = { name: 'make', made: next('role') }
    }),
  ],
  'move a registration': [
    somewhere((random, items) => {
      const [item] = items.splice(below(random, items.length), 1)
      if (item !== undefined) items.splice(below(random, items.length + 1), 0, item)
    }),
  ],
  'swap two': [
    somewhere((random, items) => {
      const at = below(random, items.length - 1)
      if (items.length > 1) items.splice(at, 2, items[at + 1]!, items[at]!)
    }),
  ],
  'change the settings of a router': [
    somewhere((random, items) => {
      const at = items.findIndex(({ is }) => is === 'router')
      const router = items[at] as Extract<Item, { is: 'router' }> | undefined
      if (router !== undefined) {
        items[at] = {
          ...router,
          settings: router.settings
            .replace(/strict: \w+/, `strict: ${random() < 0.5}`)
            .replace(/mergeParams: \w+/, `mergeParams: ${random() < 0.5}`),
        }
      }
    }),
  ],
  'forget a callback of param': [
    somewhere((_random, items) => {
      const at = items.findIndex(({ is }) => is === 'param')
      if (at >= 0) items.splice(at, 1)
    }),
  ],
  'insert lines above': [(_random, items) => items, { linesAbove: 7 }],
  'set the code anew': [(_random, items) => items, { isWide: true }],
  'move the functions to another file': [(_random, items) => items, { ownFile: true }],
}

interface Passed {
  readonly name: string
  /** The names of the params that it has seen: in which order Express has put them together is nobody's concern. */
  readonly params: string
}

/** Sends a request, and gives what it has passed. */
async function send(app: any, method: string, url: string): Promise<Passed[]> {
  const passed: Passed[] = []
  const pass = (name: string): void =>
    void passed.push({
      name,
      params: Object.keys(req.params ?? {})
        .sort()
        .join(),
    })
  const req: any = { method, url, headers: {}, socket: {}, pass }
  await new Promise<void>((end) => {
    const res = { setHeader() {}, getHeader() {}, end, req }
    app.handle(req, res, () => {
      passed.push({ name: 'nobody', params: '' })
      end()
    })
  })
  return passed
}

const variantsOf = (url: string): string[] => [
  `${url}/`,
  url.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
]
/** What the function of a mount notes; undefined for a route. */
function noteOf({ kind, passes }: LockedRoute): string | undefined {
  const own = passes.at(-1)
  return kind === 'mount' ? (/'(\w+)'/.exec(own?.argument ?? '')?.[1] ?? own?.name) : undefined
}

/** What decides whether a row has changed: what its request passes, and whether other forms of its path do reach it. */
export async function seen(app: any, row: LockedRoute): Promise<string> {
  const [method, url] = row.witness!.split(' ') as [string, string]
  const passed = await send(app, method, url)
  const note = noteOf(row)
  const own = note === undefined ? -1 : passed.findIndex(({ name }) => name === note)
  const whole = own < 0 ? passed : passed.slice(0, own + 1)
  const names = whole.map(({ name }) => name)
  const answer = note ?? names.find((name) => name.startsWith('route'))
  const reached = variantsOf(url).map(async (variant) =>
    (await send(app, method, variant)).some(({ name }) => name === answer),
  )
  return [names.join(), whole.at(-1)?.params, ...(await Promise.all(reached))].join('\n')
}
