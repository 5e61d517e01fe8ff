import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { readDocument, root } from '../support/doc-blocks.js'

// The recipe of docs/observability.md, as it stands there, with the real SDK, its instrumentations and its exporter.

interface Span {
  name: string
  kind: number
  attributes: { key: string; value: { stringValue?: string } }[]
}

const serverKind = 2

const recipe = readDocument('docs/observability.md').programs.find(({ source }) =>
  source.includes('NodeSDK'),
)!.source

/** One file in CommonJS, which the instrumentations see through, with the packages outside of it. */
async function bundle(outfile: string, withSubscriber: boolean): Promise<void> {
  const source = withSubscriber ? recipe : recipe.slice(0, recipe.indexOf("subscribe('tracing"))
  const contents = `${source}\nimport(${JSON.stringify(join(root, 'test/observability/traced.ts'))})`
  await build({
    stdin: { contents, loader: 'ts', resolveDir: root },
    alias: {
      routecontrollers: join(root, 'src/index.ts'),
      'routecontrollers/express': join(root, 'src/express/index.ts'),
    },
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  })
}

/** The spans of the requests that came in, by the way of serving: `name (http.route)`. */
async function trace(withSubscriber: boolean): Promise<Record<string, string[]>> {
  const directory = mkdtempSync(join(tmpdir(), 'opentelemetry-'))
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  const spans: Span[] = []
  const collector = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (text: string) => (body += text))
    req.on('end', () => {
      const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
      for (const { scopeSpans } of resourceSpans) for (const one of scopeSpans) spans.push(...one.spans)
      res.setHeader('Content-Type', 'application/json').end('{}')
      if (ofRequests().length >= 30) child.kill()
    })
  })
  const ofRequests = (): Span[] => spans.filter(({ kind }) => kind === serverKind)
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const file = join(directory, 'traced.cjs')
  await bundle(file, withSubscriber)
  const child = spawn(process.execPath, [file], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)))
  // Where spans are missing it would stay.
  const late = setTimeout(() => child.kill(), 120_000)
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(late)
  collector.close()
  collector.closeAllConnections()
  rmSync(directory, { recursive: true, force: true })
  if (said !== '') throw new Error(said)

  const ways: Record<string, string[]> = {}
  for (const { name, attributes } of ofRequests()) {
    const attribute = (key: string): string | undefined =>
      attributes.find((one) => one.key === key)?.value.stringValue
    const target = attribute('url.query') ?? attribute('http.target') ?? ''
    const way = new URLSearchParams(target.slice(target.indexOf('way='))).get('way')!
    ;(ways[way] ??= []).push(`${name} (${attribute('http.route') ?? 'no route'})`)
  }
  return ways
}

const named = (path: string): string => `GET ${path} (${path})`
const nameless = 'GET (no route)'
const ours = ['/users/:id', '/handler/:id', '/fails/:id'].map(named)
const inFront = [...ours, named('/theirs/:id'), nameless, nameless]
const alone = [...ours, nameless, nameless, nameless]
const inside = [...ours, named('/theirs/:id'), nameless, named('/api/users/:id')]

describe('The instrumentations of OpenTelemetry', () => {
  it('have the route of each Controller with the recipe, in every way of serving', async () => {
    expect(await trace(true)).toEqual({
      standalone: alone,
      'in front': inFront,
      'inside Express': inside,
      'under a profile': alone,
      'taken over': [nameless, nameless, nameless, named('/theirs/:id'), nameless, nameless],
    })
  })

  it('have it without the recipe under a profile, and nowhere else', async () => {
    const { standalone, 'under a profile': profiled, 'taken over': taken } = await trace(false)
    expect(standalone).toEqual(Array.from(alone, () => nameless))
    expect(profiled).toEqual(alone)
    expect(taken).toContain(named('/theirs/:id'))
  })
})
