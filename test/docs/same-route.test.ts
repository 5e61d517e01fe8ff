import { slowRows } from '../support/counts.js'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { findBlocks, type Program, readDocument, root } from '../support/doc-blocks.js'
import { buildPrograms, runAlone } from './runner/run.js'

// That the programs have the types that they show, and run, is seen by code-blocks.test.ts; here they are asked.

/** How each program is asked: a function of a web Request, which gives a Response. */
const askers: Record<string, string> = {
  routecontrollers: '(request) => app.getCallback()(request)',
  Elysia: '(request) => app.handle(request)',
  // A procedure without a server: what it has refused is thrown, and the status is that of its route.
  oRPC: `async (request) => {
    const { call } = await import('@orpc/server')
    const query = Object.fromEntries(new URL(request.url).searchParams)
    return call(app, { body: await request.json(), query }, { context: { headers: request.headers } }).then(
      (value) => Response.json(value, { status: app['~orpc'].route.successStatus }),
      (error) => Response.json({}, { status: error.status }),
    )
  }`,
  h3: '(request) => app.fetch(request)',
  Fastify: `async (request) => {
    const { statusCode, body } = await app.inject({
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    })
    return new Response(body, { status: statusCode })
  }`,
  Hono: '(request) => app.fetch(request)',
}

const [, page] = readFileSync(join(root, 'docs/compare.md'), 'utf8').split(
  '## The same route in six frameworks\n',
) as [string, string]
const { programs } = readDocument('docs/compare.md')
const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading!)
const rows = headings.map((name, at) => ({
  name,
  program: programs[at]!,
  code: findBlocks('', page)[at]!.code,
}))

/** Lines of code, without those of imports. */
const linesOf = (code: string): number =>
  code.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('import ')).length

/** The types that somebody has written: of a cast, a declaration, an argument. */
function typesIn(code: string): string[] {
  const found: string[] = []
  const file = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest, true)
  const walk = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) found.push(node.getText())
    ts.forEachChild(node, walk)
  }
  walk(file)
  return found
}

/** Asks without a token, with a body and a query that do not fit, and as it should be. */
const asked = (asker: string): string => `
const $ask = ${asker}
const $send = async (token, dry, body) => {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) }
  return $ask(new Request('http://localhost/orders?dry=' + dry, { method: 'POST', headers, body: JSON.stringify(body) }))
}
const $good = { item: 'tea' }
const $statuses = []
for (const [token, dry, body] of [['', 'yes', $good], ['Bearer ada', 'yes', { item: 7 }], ['Bearer ada', 'x', $good]]) {
  $statuses.push((await $send(token, dry, body)).status)
}
const $answer = await $send('Bearer ada', 'yes', $good)
const $seen = JSON.stringify([$statuses[0], ...$statuses.slice(1).map((status) => status >= 400 && status < 500), $answer.status, await $answer.json()])
const $wanted = JSON.stringify([401, true, true, 201, { item: 'tea', dry: 'yes', by: 'Ada' }])
if ($seen !== $wanted) throw new Error($seen + ' in place of ' + $wanted)
`

describe('The same route in six frameworks', () => {
  let built: Awaited<ReturnType<typeof buildPrograms>>
  let runnables: Program[]

  beforeAll(async () => {
    runnables = rows.map(({ name, program }) => ({
      ...program,
      source: `${program.source}\n${asked(askers[name]!)}`,
    }))
    built = await buildPrograms(runnables)
  })
  afterAll(() => built.remove())

  it('has a program for each framework, whose lines are counted rightly', () => {
    expect(headings).toEqual(Object.keys(askers))
    const counted = rows.map(({ name, code }) => [name, linesOf(code)])
    const shown = [...page.matchAll(/^\| (\w+) +\| (\d+) /gm)].map(([, name, lines]) => [name, Number(lines)])
    expect(shown).toEqual(counted)
  })

  it('has ours in at most eight lines, without a cast and without a declared type', () => {
    const [{ code }, ...others] = rows as [(typeof rows)[number], ...typeof rows]
    expect(linesOf(code)).toBeLessThanOrEqual(8)
    expect(typesIn(code)).toEqual([])
    expect(others.flatMap((other) => typesIn(other.code))).toContain('{ Variables: { user: User } }')
  })

  it.each(slowRows(1, headings))('has a program for %s that guards, checks and answers 201', async (name) => {
    await runAlone(built.runnables.get(runnables[headings.indexOf(name)]!)!)
  })
})
