import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseExpression } from '@babel/parser'
import express5 from 'express'
import express4 from 'express4'
import MagicString from 'magic-string'
import { Controller } from 'routecontrollers'
import * as routes from 'routecontrollers/express'
import { express5 as profile5, expressPath, native } from 'routecontrollers/express'
import { nativeForm } from '../../../packages/cli/src/move/native/form.js'
import type { HandlerPlace } from '../../../packages/cli/src/move/native/place.js'
import { Broken } from '../../../packages/cli/src/edit/changed-file.js'
import { readText } from '../../../packages/cli/src/edit/source-file.js'
import { nativeReasons } from '../../../packages/cli/src/move/native/reasons.js'
import { Twins } from '../../../packages/cli/src/move/twins.js'
import { walk } from '../../../packages/cli/src/syntax/walk.js'
import {
  ask,
  askInMemory,
  inMemory,
  type MemoryAnswer,
  type WireAnswer,
  type WireRequest,
} from '../../express/support/compare.js'
import { express4 as profile4 } from '../../express/support/profiles.js'
import { isWhole, times } from '../../support/counts.js'
import { describeServings, listenOn } from '../../support/describe-servings.js'
import {
  besides,
  filed,
  filedLefts,
  importing,
  importingLefts,
  lefts,
  natives,
  typed,
  typedLefts,
  typesOfOwn,
  unsafe,
} from './native-cases.js'
import { helped, helpers, unhelped, unhelpedBy } from './helper-cases.js'
import { randomHandlers } from './random-handlers.js'

jest.setTimeout(process.env['NATIVE_HANDLERS'] === undefined ? 300_000 : 1_800_000)

/** The form of a handler that stands behind other text, as in a file. */
function formOf(handler: string, place?: HandlerPlace) {
  const before = 'app.get("/", '
  const { program } = parse(`${before}${handler})`, { plugins: ['typescript'], errorRecovery: true })
  const [statement] = program.body as any[]
  return nativeForm(`${before}${handler})`, statement.expression.arguments[1], place)
}
/** The form of a handler in a file that imports what it needs. */
function formImporting(handler: string) {
  return formOf(handler, { program: parse('').program as never, takesImports: true })
}
/** The form of the handler that a file registers. */
function formIn(file: string) {
  const { program } = parse(file, { sourceType: 'module', plugins: ['typescript'], errorRecovery: true })
  const calls = [...walk(program as never)].map(({ node }) => node as any)
  const { arguments: given } = calls.find(({ callee }) => callee?.object?.name === 'app')
  return nativeForm(file, given[1], { program: program as never })
}
const nativeText = (handler: string, method?: string): string => {
  const form = formOf(handler, method === undefined ? {} : { method })
  if (form.kind !== 'native') throw new Error(`${handler}: ${form.reason}`)
  return form.text
}

describe('The native form of a handler', () => {
  it.each(natives)('%s', (handler, expected) => {
    expect(formOf(handler)).toEqual({
      kind: 'native',
      text: expected,
      options: "{ body: 'stream' }",
      type: undefined,
      helpers: [],
      imports: [],
    })
    expect(() => parseExpression(expected)).not.toThrow()
  })

  it.each(importing)('%s', (handler, expected) => {
    const form = formImporting(handler)
    expect(form).toMatchObject({ kind: 'native', text: expected })
    expect(form).not.toMatchObject({ imports: [] })
    expect(formOf(handler)).toMatchObject({ kind: 'left' })
  })

  it.each(besides)('%s', (handler, expected) => {
    expect(formOf(handler)).toMatchObject({ kind: 'native', text: expected })
  })

  it.each(typed)('%s', (handler, expected) => {
    expect(formOf(handler, { isTyped: true })).toMatchObject({ kind: 'native', text: expected })
    expect(() => parseExpression(expected, { plugins: ['typescript'] })).not.toThrow()
  })

  it.each(filed)('%s', (file, expected) => {
    expect(formIn(file)).toMatchObject({ kind: 'native', text: expected })
  })

  it.each(lefts)('%s is left', (handler, id) => {
    expect(formOf(handler)).toMatchObject({ kind: 'left', id })
  })

  it.each(importingLefts)('%s is left where its file may import', (handler, id) => {
    expect(formImporting(handler)).toMatchObject({ kind: 'left', id })
  })

  it.each(typedLefts)('%s is left', (handler, id) => {
    expect(formOf(handler, { isTyped: true })).toMatchObject({ kind: 'left', id })
  })

  it.each(typesOfOwn)('%s is of the type %s', (handler, type) => {
    expect(formOf(handler, { isTyped: true, takesType: true })).toMatchObject({ kind: 'native', type })
  })

  it.each(filedLefts)('%s is left', (file, id) => {
    expect(formIn(file)).toMatchObject({ kind: 'left', id })
  })

  it('has a case for each reason', () => {
    const shown = [...lefts, ...typedLefts, ...filedLefts, ...unhelpedBy].map(([, id]) => id)
    // Those of a callback in another file, and of what runs, are in elsewhere.slow.test.ts and replaced-helpers.slow.test.ts.
    const others = ['taken', 'replaced', 'marked', 'res-method', 'res-replaced']
    expect([...new Set([...shown, ...others])].sort()).toEqual(Object.keys(nativeReasons).sort())
  })

  it('has a row of the documentation for each reason', () => {
    const page = readFileSync(join(__dirname, '../../../docs/migrate/reasons.md'), 'utf8')
    const rows = Object.values(nativeReasons).map(({ reason, remedy }) => [reason.replace('%', '…'), remedy])
    const table = page.slice(page.indexOf('| It says | Why |')).split('\n\n')[0]!.split('\n').slice(2)
    const shown = table.map((row) => row.split(' | '))
    expect(shown.map(([reason, , remedy]) => [reason!.slice(2), remedy!.slice(0, -2)])).toEqual(rows)
    expect(shown.filter(([, why]) => why === '')).toEqual([])
  })

  it('tells where the reason stands, what it is about, and what helps', () => {
    const handler = '(req, res) => { sendError(res, 404) }'
    expect(formOf(handler)).toEqual({
      kind: 'left',
      id: 'res-passed',
      reason: 'it passes res on to sendError',
      remedy: 'let the function return what is to be sent, and answer with it here',
      offset: 'app.get("/", '.length + handler.indexOf('res, 404'),
    })
  })

  it('keeps the body with its parser, but for GET and HEAD where it is not read', () => {
    const optionsOf = (handler: string, method: string) => formOf(handler, { method })
    const reads = [
      '(req, res) => res.json({ a: req.body })',
      '({ body }, res) => res.json({ body })',
      '(req, res) => { log(req); res.json({}) }',
    ]
    for (const method of ['GET', 'HEAD', 'POST', '*']) {
      const options = /^(?:GET|HEAD)$/.test(method) ? undefined : "{ body: 'stream' }"
      expect(optionsOf('(req, res) => res.json({})', method)).toMatchObject({ options })
      for (const handler of reads)
        expect(optionsOf(handler, method)).toMatchObject({ options: "{ body: 'stream' }" })
    }
  })

  it.each(unsafe)('%s, where no GET comes', (handler, expected) => {
    expect(formOf(handler, { method: 'POST' })).toMatchObject({ kind: 'native', text: expected })
    for (const place of [{}, { method: 'GET' }, { method: 'HEAD' }, { method: '*' }])
      expect(formOf(handler, place)).toMatchObject({ kind: 'left', id: 'empty' })
  })
})

/** A handler behind the functions that it calls: both as they were, and as they are natively. */
function formWithHelpers(handler: string) {
  const source = readText('/helpers.cjs', `${helpers}\napp.all('/', ${handler})\n`)
  if (typeof source === 'string') throw new Error(source)
  const call = [...walk(source.program)]
    .map(({ node }) => node as any)
    .findLast(({ callee }) => callee?.object?.name === 'app')
  const twins = new Twins('/', [], new Broken(), { exports: [] })
  twins.begin(new Set([source.file]))
  const [, given] = call.arguments
  const form = nativeForm(source.text, given, {
    program: source.program,
    findHelper: twins.helpersIn(source, '*'),
  })
  if (form.kind === 'left') return form
  for (const helper of form.helpers) helper.write()
  const code = new MagicString(source.text)
  twins.writeHelpers(code, source, 0)
  return { ...form, before: code.slice(0, call.start) }
}
/** The text of such a handler, with what it calls around it. */
const withHelpers = (handler: string): string => `(() => {${helpers}return ${handler} })()`
const nativeWithHelpers = (handler: string): string => {
  const form = formWithHelpers(handler)
  if (form.kind === 'left') throw new Error(`${handler}: ${form.reason}`)
  return `(() => {${form.before}return ${form.text} })()`
}

describe('The native form of a handler that hands its response on', () => {
  it.each(helped)('%s', (handler, expected) => {
    expect(formWithHelpers(handler)).toMatchObject({ kind: 'native', text: expected })
  })

  it.each(unhelped)('%s is left', (handler) => {
    expect(formWithHelpers(handler)).toMatchObject({ kind: 'left' })
  })

  it.each(unhelpedBy)('%s is left, and the reason is %s', (handler, id) => {
    expect(formWithHelpers(handler)).toMatchObject({ kind: 'left', id })
  })
})

const json = { 'Content-Type': 'application/json' }
const requests: Readonly<Record<string, WireRequest>> = {
  plain: {},
  query: { target: '?q=1&list=a&list=b&deep[a]=1&%C3%BC=%20' },
  head: { method: 'HEAD' },
  fresh: { headers: { 'If-None-Match': '*' } },
  'a body': { method: 'POST', headers: json, body: '{"name":"Ada"}' },
  'no JSON': { method: 'PUT', headers: json, body: '{' },
  'a form': { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=1' },
  text: { method: 'POST', headers: { 'Content-Type': 'text/plain', 'x-json': '[1]' }, body: 'text' },
}

/** Each for a middleware that sets a type before the route: a text that was to be shown as text must not become HTML. */
const behindTypes = ['text/plain', 'application/json', 'image/png'].map((type): [string, WireRequest] => [
  `behind ${type}`,
  { headers: { 'X-Set-Type': type } },
])

/**
 * What a handler is asked where others are asked all. In the loop it is a third, and another third of the next handler: what a form
 * answers depends on the handler, and what a way of serving makes of it on the request.
 */
function someOf(asked: Readonly<Record<string, WireRequest>>, at: number): [string, WireRequest][] {
  return Object.entries(asked).filter((_, number) => isWhole || (number + at) % 3 === 0)
}

/**
 * Without the order of headers, which means nothing, without the Expires that Express gives beside a Max-Age, and without the type of an
 * answer that has no body.
 */
function compared({ statusLine, headers, body }: WireAnswer): WireAnswer {
  const isTyped = !statusLine.includes(' 204 ')
  const shown = headers.filter((line) => isTyped || !/^content-type:/i.test(line))
  const lines = shown.map((line) =>
    /^set-cookie:/i.test(line) ? line.replace(/(; Max-Age=-?\d+.*?); Expires=[^;]*/, '$1') : line,
  )
  return { statusLine, headers: lines.sort(), body }
}

function comparedInMemory(answer: MemoryAnswer): MemoryAnswer {
  const headers = answer.cookies.map((one) => `Set-Cookie: ${one}`)
  const cookies = compared({ statusLine: '', headers, body: '' }).headers.map((one) => one.slice(12))
  const { 'content-type': _type, ...others } = answer.headers
  return { ...answer, cookies, headers: answer.status.startsWith('204 ') ? others : answer.headers }
}

/** What a server never answers comes to this. An answer here takes milliseconds: only what has none ever waits so long. */
const unanswered = 'no answer'
async function orUnanswered<Answer>(asked: Promise<Answer>): Promise<Answer | typeof unanswered> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<typeof unanswered>((resolve) => {
    timer = setTimeout(resolve, 30_000, unanswered)
  })
  return Promise.race([asked, limit]).finally(() => clearTimeout(timer))
}
const askCompared = (port: number, request: WireRequest): Promise<WireAnswer | typeof unanswered> =>
  orUnanswered(ask(port, request).then(compared))

/** In Express 4 a promise that rejects is never answered, and natively the error handlers get its error. So they get it here. */
const answering =
  (handler: (...given: any[]) => unknown) =>
  (req: unknown, res: { headersSent: boolean }, next: (error: unknown) => void): void => {
    void Promise.resolve(handler(req, res, next)).catch((error: unknown) => {
      if (!res.headersSent) next(error)
    })
  }

/** Handlers with their numbers, in lists that one app has routes for: among a thousand of them Express takes long to find one. */
function numberedLists(handlers: readonly string[]): (readonly [number, string])[][] {
  const numbered = [...handlers.entries()]
  return Array.from({ length: Math.ceil(numbered.length / 100) }, (_, at) =>
    numbered.slice(at * 100, (at + 1) * 100),
  )
}

interface BothOptions {
  readonly inRoutesAlone?: boolean
  /** Leaves out what means something else in Express 4. */
  readonly isAlikeIn4?: (handler: string) => boolean
  readonly method?: string
  /** The text that is run for a handler, and for its native form. */
  readonly before?: (handler: string) => string
  readonly after?: (handler: string) => string
}

/** Runs both forms of each handler, Express's in Express and the native one in a route and in Controllers; compares all that is answered. */
function describeBoth(
  topic: string,
  all: readonly string[],
  asked: Readonly<Record<string, WireRequest>>,
  {
    inRoutesAlone = false,
    isAlikeIn4 = () => true,
    method,
    before = (handler) => handler,
    after = (handler) => nativeText(handler, method),
  }: BothOptions = {},
): void {
  const run = (text: string): never => {
    const code = `const { download, sendFile, sendValue } = routes; return (${text})`
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- both forms are texts
    return new Function('routes', 'require', code)(routes, () => routes) as never
  }
  // It is the same in each way of serving, and takes much of the time.
  const forms = new Map<string, string>()
  const formOf = (handler: string): string => {
    const form = forms.get(handler) ?? after(handler)
    forms.set(handler, form)
    return form
  }
  for (const [version, express, profile] of [
    [4, express4, profile4],
    [5, express5, profile5],
  ] as const) {
    const handlers = all.filter((handler) => version === 5 || isAlikeIn4(handler))
    const runBefore = (handler: string): never => {
      const made = run(before(handler))
      return version === 4 ? (answering(made) as never) : made
    }
    // What parses the body changes no profile: in the loop each profile goes with one of both.
    for (const parsesJson of isWhole ? [true, false] : [version === 5]) {
      /** What Express has answered, which all ways of serving are compared with. */
      const known = new Map<string, WireAnswer | typeof unanswered>()
      const parsing = parsesJson ? 'behind express.json()' : 'with no body parser'
      describe(`${topic}, ${parsing}, in a route of Express ${version}`, () => {
        beforeAll(() => void jest.spyOn(console, 'error').mockImplementation(() => {}))
        afterAll(() => void jest.restoreAllMocks())

        it('answers as the handler does', async () => {
          const different: unknown[] = []
          for (const list of numberedLists(handlers)) {
            const listening = await Promise.all(
              [runBefore, (handler: string) => native(run(formOf(handler)), { body: 'stream' })].map(
                (made) => {
                  const app = express()
                  app.set('env', 'production')
                  if (parsesJson) app.use(express.json())
                  app.use((req: any, res: any, next: () => void) => {
                    const type = req.get('x-set-type')
                    if (type !== undefined) res.set('Content-Type', type)
                    next()
                  })
                  for (const [at, handler] of list) app.all(`/${at}/:id`, made(handler))
                  return listenOn(app)
                },
              ),
            )
            for (const [at, handler] of list) {
              const some = version === 5 ? Object.entries(asked) : someOf(asked, at)
              for (const [which, request] of [...some, ...behindTypes]) {
                const target = `/${at}/a%20b${request.target ?? ''}`
                const [was, is] = await Promise.all(
                  listening.map(({ port }) => askCompared(port, { ...request, target })),
                )
                if (JSON.stringify(was) !== JSON.stringify(is)) different.push({ handler, which, was, is })
              }
            }
            for (const { close } of listening) await close()
          }
          expect(different).toEqual([])
        })
      })
      if (inRoutesAlone) continue
      describeServings(
        `${topic}, ${parsing}, under the profile of Express ${version}`,
        ({ name, serve }) => {
          beforeAll(() => void jest.spyOn(console, 'error').mockImplementation(() => {}))
          afterAll(() => void jest.restoreAllMocks())

          it('is answered as in Express', async () => {
            const different: unknown[] = []
            for (const list of numberedLists(handlers)) {
              const app = express()
              app.set('env', 'production')
              if (parsesJson) app.use(express.json())
              for (const [at, handler] of list) app.all(`/${at}/:id`, runBefore(handler))
              const theirs = await listenOn(app)
              const controllers = list.map(
                ([at, handler]) =>
                  new Controller('*', expressPath(`/${at}/:id`), run(formOf(handler)), {
                    body: 'stream',
                  }),
              )
              const ours = await serve(controllers, {
                profile: profile({ settings: { env: 'production' } }),
                setup: (routeControllers) => {
                  if (parsesJson) routeControllers.addGlobal(express.json())
                },
                upstream: (host) => void host.set('env', 'production'),
              })
              for (const [at, handler] of list) {
                for (const [which, request] of someOf(asked, at)) {
                  const target = `/${at}/a%20b${request.target ?? ''}`
                  const expected =
                    known.get(`${which} ${target}`) ??
                    (await askCompared(theirs.port, { ...request, target }))
                  known.set(`${which} ${target}`, expected)
                  const [was, is] =
                    name === 'web'
                      ? [
                          expected === unanswered ? expected : inMemory(expected),
                          await orUnanswered(
                            askInMemory(ours.routeControllers, { ...request, target }).then(comparedInMemory),
                          ),
                        ]
                      : [expected, await askCompared(ours.port!, { ...request, target })]
                  if (JSON.stringify(sorted(was)) !== JSON.stringify(sorted(is)))
                    different.push({ handler, which, was, is })
                }
              }
              await theirs.close()
            }
            expect(different).toEqual([])
          })
        },
        ({ name }) =>
          (!name.startsWith('inside') || name === `inside Express ${version}`) &&
          // Each way of serving is taken, under one of the profiles.
          (isWhole || name === `inside Express ${version}` || (name === 'standalone') === (version === 4)),
      )
    }
  }
}

/** Express 4 takes a number for a status. Where that is none, it throws without saying so, behind headers that it has set. */
const mayThrow = (handler: string): boolean => /^async|catch/.test(handler) && /\.send\([\d(]/.test(handler)

function sorted(answer: object | string): unknown {
  if (typeof answer === 'string') return answer
  const { headers, ...others } = answer as { headers: string[] | Record<string, string> }
  return { ...others, headers: Array.isArray(headers) ? headers : Object.entries(headers).sort() }
}

describeBoth(
  'Each native form',
  natives.map(([handler]) => handler),
  requests,
)

describeBoth(
  'Each native form of what reads the request of Express',
  besides.map(([handler]) => handler),
  requests,
  { inRoutesAlone: true },
)

describeBoth(
  'Each native form that answers by a function of routecontrollers/express',
  importing.map(([handler]) => handler),
  { ...requests, range: { headers: { Range: 'bytes=2-5' } }, HTML: { headers: { Accept: 'text/html' } } },
  {
    inRoutesAlone: true,
    after: (handler) => (formImporting(handler) as { text: string }).text,
  },
)

describeBoth(
  'Each native form of what no GET comes to',
  unsafe.map(([handler]) => handler),
  Object.fromEntries(Object.entries(requests).filter(([, { method = 'GET' }]) => /^P/.test(method))),
  { method: 'POST' },
)

describeBoth(
  'Each native form of what hands its response on',
  helped.map(([handler]) => handler),
  { ...requests, refused: { target: '?q=0' } },
  { before: withHelpers, after: nativeWithHelpers },
)

const count = Number(process.env['NATIVE_HANDLERS'] ?? times(16, 2000))
describe.each([
  ['Random handlers', false],
  ['Random handlers that hand their response on', true],
])('%s', (_topic, hasHelpers) => {
  const all = randomHandlers(count, Number(process.env['SEED'] ?? 1), { hasHelpers })
  const formed = hasHelpers ? formWithHelpers : formImporting
  const taken = all.filter((handler) => formed(handler).kind === 'native')

  it('become native, or are left', () => {
    expect(taken.length).toBeGreaterThan(count / 8)
    expect(taken.length).toBeLessThan(count)
  })

  const { plain, query, 'a body': body, text } = requests
  describeBoth(
    'Each native form',
    taken,
    { plain: plain!, query: query!, refused: { target: '?q=0' }, body: body!, text: text! },
    {
      isAlikeIn4: (handler) => !mayThrow(handler),
      ...(hasHelpers
        ? { before: withHelpers, after: nativeWithHelpers }
        : { after: (handler: string) => (formImporting(handler) as { text: string }).text }),
    },
  )
})
