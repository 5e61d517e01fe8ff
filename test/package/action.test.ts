// The steps of action.yml, run as a composite action runs them, on a clone of the shop: on a branch that has lost a guard, and on one that has not.
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parse } from 'yaml'
import { createProject, execute, root } from './project.js'

interface Step {
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string>>
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}

const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action
const shop = [
  'express',
  'serve-static',
  'compression',
  'cookie-parser',
  'cors',
  'express-session',
  'helmet',
  'morgan',
  'tsx',
]
const packages = readFileSync(join(root, 'package.json'), 'utf8')

interface Written {
  readonly id: number
  readonly user: { readonly login: string; readonly type: string }
  body: string
}

const job = { login: 'github-actions[bot]', type: 'Bot' }
const person = { login: 'ada', type: 'User' }

/** The comments of a pull request, as the API of GitHub has them. */
class Comments {
  readonly all: Written[] = Array.from({ length: 120 }, (_, id) => ({
    id,
    user: person,
    body: `comment ${id}`,
  }))
  isRefusing = false
  readonly #server: Server = createServer((req, res) => {
    let text = ''
    req.on('data', (chunk: Buffer) => (text += chunk.toString()))
    req.on('end', () => {
      const url = new URL(req.url!, 'http://localhost')
      const isAllowed = req.headers.authorization === 'Bearer secret' && !this.isRefusing
      res.statusCode = isAllowed ? 200 : 403
      res.end(JSON.stringify(isAllowed ? this.#answer(req.method!, url, text) : {}))
    })
  })

  #answer(method: string, { pathname, searchParams }: URL, text: string): unknown {
    const comments = '/repos/someone/shop/issues/7/comments'
    const { body, query } = (text === '' ? {} : JSON.parse(text)) as { body: string; query?: string }
    if (pathname === '/graphql' && query === '{ viewer { login } }')
      return { data: { viewer: { login: job.login } } }
    if (method === 'GET' && pathname === comments) {
      const [size, page] = ['per_page', 'page'].map((name) => Number(searchParams.get(name))) as [
        number,
        number,
      ]
      return this.all.slice(size * (page - 1), size * page)
    }
    if (method === 'POST' && pathname === comments)
      return this.all.push({ id: this.all.length, user: job, body })
    const one = this.all.find(({ id }) => pathname === `/repos/someone/shop/issues/comments/${id}`)
    if (method === 'PATCH' && one !== undefined) return (one.body = body)
    throw new Error(`${method} ${pathname}`)
  }

  async start(): Promise<string> {
    this.#server.listen(0)
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.#server.close()
  }
}

const comments = new Comments()
let api: string
let clone: string

const git = (cwd: string, ...parameters: string[]): string =>
  execute('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...parameters], { cwd })

beforeAll(async () => {
  api = await comments.start()
  const { directory } = createProject(shop, ['core', 'cli'])
  cpSync(join(root, 'examples/express-app'), join(directory, 'shop'), { recursive: true })
  writeFileSync(
    join(directory, 'server.ts'),
    `import { createLegacyApp } from './shop/legacy-app.js'
    import { createSetup } from './shop/setup.js'
    createLegacyApp(createSetup({ publicFolder: 'shop/public', adminToken: 'teapot', log: () => {} })).listen(0)\n`,
  )
  const { devDependencies } = JSON.parse(packages) as { devDependencies: Record<string, string> }
  const dependencies = Object.fromEntries(shop.map((name) => [name, devDependencies[name] ?? '*']))
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module', dependencies }))
  writeFileSync(join(directory, '.gitignore'), 'node_modules\n')
  execute('npx', ['--no-install', 'routecontrollers', 'inspect', 'server.ts', '--lock'], { cwd: directory })
  git(directory, 'init', '--quiet', '--initial-branch=main')
  git(directory, 'add', '.')
  git(directory, 'commit', '--quiet', '-m', 'the shop')
  clone = mkdtempSync(join(process.env.PACKED_IN!, 'clone-'))
  git(clone, 'clone', '--quiet', `file://${directory}`, '.')
  cpSync(join(directory, 'node_modules'), join(clone, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  })
}, 300_000)
afterAll(() => comments.stop())

interface Job {
  readonly code: number
  readonly log: string
  readonly summary: string
  readonly folder: string
  /** What the step that keeps artefacts was given. */
  readonly artefact: Readonly<Record<string, string>> | undefined
}

/** Runs the steps one after the other, until one fails. */
async function runAction(given: Readonly<Record<string, string>>): Promise<Job> {
  const temp = mkdtempSync(join(process.env.PACKED_IN!, 'job-'))
  const file = (name: string, text = ''): string => {
    writeFileSync(join(temp, name), text)
    return join(temp, name)
  }
  const env: Record<string, string> = {
    GITHUB_ACTION_PATH: root,
    GITHUB_API_URL: api,
    GITHUB_GRAPHQL_URL: `${api}/graphql`,
    GITHUB_EVENT_PATH: file('event.json', JSON.stringify({ pull_request: { number: 7 } })),
    GITHUB_REPOSITORY: 'someone/shop',
    GITHUB_STEP_SUMMARY: file('step-summary.md'),
    RUNNER_TEMP: temp,
  }
  const values: Record<string, string> = {
    'github.base_ref': 'main',
    'github.token': 'secret',
    'github.event_name': 'pull_request',
  }
  const valueOf = (name: string): string => {
    if (values[name] === undefined) throw new Error(`nothing is known of ${name}`)
    return values[name]
  }
  const filled = (text: string): string =>
    text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_all, name: string) => valueOf(name))
  for (const [name, { default: usual = '' }] of Object.entries(action.inputs))
    values[`inputs.${name}`] = given[name] ?? filled(usual)
  const isTrue = (condition: string): boolean =>
    condition.split(' && ').every((one) => {
      const [, name, text] = /^([\w.-]+) == '(.*)'$/.exec(one)!
      return valueOf(name!) === text
    })
  let [code, log, artefact]: [number, string, Job['artefact']] = [0, '', undefined]
  for (const step of action.runs.steps) {
    if (step.if !== undefined && !isTrue(step.if)) continue
    const filledIn = (all: Step['env']): Record<string, string> =>
      Object.fromEntries(Object.entries(all ?? {}).map(([name, text]) => [name, filled(text)]))
    if (step.uses !== undefined) {
      artefact = filledIn(step.with)
      continue
    }
    const output = file(`output-${step.id ?? ''}`)
    const { PATH, HOME } = process.env as Record<string, string>
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run!], {
      cwd: clone,
      env: { PATH: PATH!, HOME: HOME!, ...env, ...filledIn(step.env), GITHUB_OUTPUT: output },
    })
    child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
    ;[code] = (await once(child, 'close')) as [number]
    for (const line of readFileSync(output, 'utf8').split('\n').filter(Boolean)) {
      const at = line.indexOf('=')
      values[`steps.${step.id}.outputs.${line.slice(0, at)}`] = line.slice(at + 1)
    }
    if (code !== 0) break
  }
  const summary = readFileSync(env['GITHUB_STEP_SUMMARY']!, 'utf8')
  return { code, log, summary, folder: values['steps.look.outputs.folder'] ?? '', artefact }
}

const ours = (): string[] =>
  comments.all.flatMap(({ body }) => (body.startsWith('<!-- routecontrollers ') ? body : []))

describe('The action', () => {
  it('passes where nothing was lost, and says so in a comment', async () => {
    git(clone, 'checkout', '--quiet', '-b', 'harmless')
    appendFileSync(join(clone, 'shop/legacy-app.ts'), '\n// A comment.\n')
    const { code, log, summary, folder, artefact } = await runAction({ entry: 'server.ts' })
    expect([code, log]).toEqual([0, expect.stringMatching(/✓ \d+ routes[^\n]* nothing is lost/)])
    expect(summary).toMatch(/### ✅ `routecontrollers check`[^]*### ✅ `routecontrollers parity`/)
    expect(artefact).toEqual({ name: 'routecontrollers', path: folder })
    expect(ours()).toEqual([`<!-- routecontrollers routecontrollers -->\n${summary}`])
  }, 300_000)

  it('fails where a guard was lost, names it at its line, and replaces the comment', async () => {
    git(clone, 'checkout', '--quiet', '-B', 'lost', 'main')
    const file = join(clone, 'shop/legacy-app.ts')
    const text = readFileSync(file, 'utf8')
    const without = text.replace("  app.use('/admin', requireAdmin(setup))\n", '')
    expect(without).not.toBe(text)
    writeFileSync(file, without)
    const { code, log, summary, folder } = await runAction({ entry: 'server.ts' })
    expect(code).toBe(1)
    expect(log).toMatch(
      /^::error file=shop\/[\w/-]+\.ts,line=\d+,title=check%3A .*::.*GET \/admin.*lost: requireAdmin\(setup\)/m,
    )
    expect(log).toMatch(/^::error .*title=parity%3A .*::.*401 json → 200 /m)
    expect(summary).toMatch(/### ❌ `routecontrollers check`[^]*`lost: requireAdmin\(setup\)/)
    expect(ours()).toEqual([`<!-- routecontrollers routecontrollers -->\n${summary}`])
    expect(readFileSync(join(folder, 'check.sarif'), 'utf8')).toContain('"check/lost"')
    expect(readFileSync(join(folder, 'check.html'), 'utf8')).toContain('− lost')
  }, 300_000)

  it('fails and says so where the entry cannot run, and where no comment may be written it goes on', async () => {
    mkdirSync(join(clone, 'broken'), { recursive: true })
    writeFileSync(join(clone, 'broken/server.js'), "throw new Error('no database')\n")
    comments.isRefusing = true
    const { code, log, summary } = await runAction({ entry: 'broken/server.js', base: '' })
    expect(code).toBe(1)
    expect(log).toContain('::warning title=routecontrollers::The comment was not written')
    expect(summary).toContain('### ⚠️ `routecontrollers check` could not look at the app')
    expect(summary).not.toContain('parity')
  }, 300_000)
})
