import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { bundled } from '../support/bundled.js'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { defaultEntry } from '../../packages/cli/src/entry/default-entry.js'
import type { DoctorReport } from '../../packages/cli/src/documents/doctor.js'
import { apps, type Command, createCommand } from './run-command.js'
import { findingsOfPackage, nodeFindings } from '../../packages/cli/src/doctor/package.js'
import { toldFound } from '../../packages/cli/src/report/doctor-findings.js'
import { itSlow, slowRows } from '../support/counts.js'

// Each run starts a process, and waits until nothing more is registered.
jest.setTimeout(300_000)

let command: Command
let folders: string[]
beforeAll(() => {
  command = createCommand({ ownProcesses: true })
  folders = []
})
afterAll(() => {
  command.remove()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const installed = join(__dirname, '../../node_modules')

/** A project with these files; `linked` are packages of ours that it has too. */
function createProject(
  files: Readonly<Record<string, string | object>>,
  linked: readonly string[] = [],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
  folders.push(folder)
  for (const name of linked) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(join(installed, name), join(folder, 'node_modules', name))
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}

const serverCode = "const app = require('express')(); app.get('/', (req, res) => res.end()); app.listen(3000)"

const doctor = (...parameters: string[]) => command.run('doctor', '--settle-ms', '200', ...parameters)
const findingsOf = async (...parameters: string[]): Promise<DoctorReport['findings']> => {
  const { stdout, stderr, code } = await doctor('--json', ...parameters)
  const { findings } = JSON.parse(stdout || '{}') as DoctorReport
  if (code !== (findings?.some(({ severity }) => severity !== 'note') ? 1 : 0))
    throw new Error(`${code} ${stderr}`)
  return findings
}
const briefly = (findings: DoctorReport['findings']) =>
  findings.map(({ kind, message, at }) => [kind, message, ...at].join(' | '))

describe('routecontrollers doctor', () => {
  itSlow('names routes that are not reached', async () => {
    const folder = createProject(
      {
        'server.js': `
const express = require('express')
const app = express()
app.get('/teas/:id', (req, res) => res.send('tea'))
app.get('/teas/new', (req, res) => res.send('new'))
app.use('/closed', (req, res) => res.status(503).end())
app.get('/closed/a', (req, res) => res.end())
app.get('/closed/b', (req, res) => res.end())
app.listen(0)`,
      },
      ['express'],
    )
    const found = await findingsOf('--cwd', folder, 'server.js')
    expect(briefly(found)).toEqual([
      'routes | A middleware that never calls next() stands before it: GET /closed/a, GET /closed/b | server.js:7 | server.js:8',
      'routes | Another route answers first: GET /teas/new | server.js:5',
    ])
  })

  it('finds what the packages of the field do to an app, and says where and what helps', async () => {
    const { code, stdout } = await doctor('--cwd', apps, 'doctor/obstacles.cjs')
    expect(code).toBe(1)
    expect(stdout).toMatchInlineSnapshot(`
     "wrapped     @opentelemetry/instrumentation-express has wrapped 7 layers of Express
                 → toControllers(app) and profile: fromApp(app) run layers through their wrapper; what a
                 wrapper hides stands in left, and only the app serves it

     patched     response.fail: put on Express itself
                 doctor/obstacles.cjs:10
                 → handlers that use them move with fromExpress and profile: fromApp(app), which has
                 them; req and res of native callbacks do not

     late        3 registrations after the server listens
                 doctor/obstacles.cjs:23
                 doctor/obstacles.cjs:27
                 doctor/obstacles.cjs:24
                 → register before listen. What stays: toControllers(app) reads the app again when it has
                 changed (onStale); --settle-ms says how long inspect waits for it

     upgrade     upgrades (WebSockets) on the server of the app, taken by ws and the project
                 doctor/obstacles.cjs:20
                 → inside the app nothing changes. In front of it keep a server of your own, and attach
                 them there: createServer(toListener(routeControllers.getCallback(), { fallback: app }))

     session     express-session keeps sessions in the memory of one process (MemoryStore)
                 → give it a store that processes share, before parity and workers: the app as it was and
                 as it is are two processes. Within one process, one session(…) for what has moved and
                 what has not

     doctor/obstacles.cjs: 5 findings
     "
    `)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  itSlow('advises a store for sessions, and ends with 0 where that is all it has to say', async () => {
    const folder = createProject(
      {
        'server.cjs': `const session = require('express-session'); ${serverCode.replace(
          '()',
          "().use(session({ secret: 'tea', resave: false, saveUninitialized: false }))",
        )}`,
      },
      ['express', 'express-session'],
    )
    const { code, stdout } = await doctor('--cwd', folder, 'server.cjs')
    expect([code, stdout]).toEqual([0, expect.stringContaining('session     express-session keeps sessions')])
    expect(stdout).toMatch(/^✓ server\.cjs: nothing stands in the way, 1 note\n$/m)
  })

  itSlow('finds nothing in the way of an app that has nothing of it', async () => {
    expect(await doctor('--cwd', apps, 'doctor/clean.cjs')).toEqual({
      code: 0,
      stdout: '✓ doctor/clean.cjs: nothing stands in the way\n',
      stderr: '',
    })
  })

  it.each(slowRows(1, ['express4', 'express']))(
    'counts no registration of this package in its own routers as late, with %s, and counts those of the project',
    async (name) => {
      const folder = createProject(
        {
          'server.cjs': `
            const express = require('${name}')
            const { Controller, RouteControllers, Server, fromApp, fromExpress } = require('routecontrollers')
            const app = express()
            const handler = (req, res) => res.end()
            const profile = fromApp(app)
            const rc = new RouteControllers([new Controller('GET', '/b', fromExpress(handler))], { profile })
            rc.addGlobal(express.json())
            const server = new Server()
            server.start({ port: 0, routeControllers: rc })`,
          'late.cjs': `
            const app = require('${name}')()
            app.get('/a', (req, res) => res.end())
            app.listen(0); setTimeout(() => app.route('/late').get((req, res) => res.end()), 50)
            // As on a busy machine: the timer is due when this turn ends.
            for (const end = Date.now() + 60; Date.now() < end; );`,
        },
        [name],
      )
      const whole = bundled('index.js', {
        stdin: {
          contents: "export * from './src/index.ts'; export * from './src/express/index.ts'",
          resolveDir: join(__dirname, '../..'),
        },
      })
      mkdirSync(join(folder, 'node_modules/routecontrollers'), { recursive: true })
      copyFileSync(whole, join(folder, 'node_modules/routecontrollers/index.js'))
      const { stdout, stderr } = await doctor('--cwd', folder, 'server.cjs')
      expect([stdout, stderr]).toEqual(['✓ server.cjs: nothing stands in the way\n', ''])
      expect(briefly(await findingsOf('--cwd', folder, 'late.cjs'))).toEqual([
        'late | 2 registrations after the server listens | late.cjs:4',
      ])
    },
  )

  itSlow('finds layers that a getter of Layer wraps, as express-async-errors does it', async () => {
    const folder = createProject(
      {
        'node_modules/express-async-errors/package.json': { name: 'express-async-errors', version: '3.1.1' },
        'node_modules/express-async-errors/index.js': `
          const { prototype } = require('express/lib/router/layer')
          const wrapped = Symbol()
          const wrap = (fn) => function (...args) { return fn.apply(this, args) }
          Object.defineProperty(prototype, 'handle', {
            enumerable: true,
            get() { return this[wrapped] },
            set(fn) { this[wrapped] = wrap(fn) },
          })`,
        'server.js': `const express = require('express'); require('express-async-errors'); ${serverCode}`,
      },
      ['express4'],
    )
    symlinkSync(join(installed, 'express4'), join(folder, 'node_modules/express'))
    const findings = await findingsOf('--cwd', folder)
    expect(briefly(findings)).toEqual([
      expect.stringMatching(/^wrapped \| express-async-errors has wrapped \d layers? of Express$/),
    ])
    expect(findings[0]?.remedy).toContain('a rejection is an error in every way of serving')
  })

  it.each(
    slowRows(1, [
      [
        'an old Jest, jsdom and an old TypeScript',
        {
          'package.json': { devDependencies: { jest: '26', typescript: '4' } },
          'jest.config.js': "module.exports = { testEnvironment: 'jsdom' }",
          'node_modules/jest/package.json': { version: '26.6.3' },
          'node_modules/typescript/package.json': { version: '4.9.5' },
        },
        [
          'typescript | TypeScript 4.9.5 is installed; the declarations are tested with 5.4 and newer',
          'jest | Jest 26.6.3 leaves its tests without Request, Response and fetch',
          'jest | Jest runs tests in jsdom, which has no Request, Response and fetch of Node | jest.config.js',
        ],
      ],
      [
        'jsdom in package.json, and an old Node',
        {
          'package.json': {
            jest: { testEnvironment: 'jest-environment-jsdom' },
            engines: { node: '>=18.0.0' },
          },
        },
        [
          'node | package.json allows Node >=18.0.0; this package needs 20.19.0 or newer | package.json',
          'jest | Jest runs tests in jsdom, which has no Request, Response and fetch of Node | package.json',
        ],
      ],
      [
        'agents',
        {
          'package.json': {
            dependencies: { 'dd-trace': '5', newrelic: '12', '@sentry/node': '9', express: '5' },
          },
        },
        [
          'agent | @sentry/node, dd-trace, newrelic: they watch the routes of Express by wrapping its layers | package.json',
        ],
      ],
      [
        'nothing that is new enough',
        {
          'package.json': {
            engines: { node: '20 || >=22' },
            devDependencies: { jest: '30', typescript: '5.4' },
            jest: { testEnvironment: 'node' },
          },
          'node_modules/jest/package.json': { version: '28.0.0' },
          'node_modules/typescript/package.json': { version: '5.4.2' },
        },
        [],
      ],
    ]),
  )('reads of the files of a project: %s', async (_what, files, expected) => {
    const folder = createProject({ ...files, 'server.js': serverCode }, ['express'])
    expect(briefly(await findingsOf('--cwd', folder))).toEqual(expected)
  })

  it.each(
    slowRows(1, [
      ['an old @types/node', { 'tsconfig.json': '{}' }, '17.0.45', ['typescript', 'types-node 17.0.45']],
      ['no @types/node', { 'tsconfig.json': '{}' }, undefined, ['typescript', 'types-node null']],
      ['the oldest @types/node that goes', { 'tsconfig.json': '{}' }, '20.19.0', ['typescript']],
      ['no TypeScript of its own', {}, '17.0.45', ['typescript']],
      [
        'skipLibCheck, in what tsconfig.json extends',
        {
          'tsconfig.json': '{ "extends": "./base.json" }',
          'base.json': '{ "compilerOptions": { "skipLibCheck": true } }',
        },
        '17.0.45',
        ['typescript', 'skips'],
      ],
    ]),
  )(
    'says of types of Node what the declarations need, where they are compiled: %s',
    (_what, files, version, expected) => {
      const folder = createProject({
        ...files,
        'package.json': { devDependencies: { typescript: '4' } },
        'server.ts': '',
        'node_modules/typescript/package.json': { version: '4.9.5' },
        'node_modules/typescript/bin/tsc': `require(${JSON.stringify(join(installed, 'typescript/bin/tsc'))})`,
        ...(version !== undefined && { 'node_modules/@types/node/package.json': { version } }),
      })
      const found = findingsOfPackage(folder, join(folder, 'server.ts'))
      const facts = found.flatMap((one) => {
        if (one.code === 'types-node') return [`types-node ${one.version}`]
        return one.code === 'typescript' && one.skipsLibCheck ? [one.code, 'skips'] : [one.code]
      })
      expect(facts).toEqual(expected)
      expect(toldFound(found[0]!).remedy.includes('skipLibCheck')).toBe(!expected.includes('skips'))
    },
  )

  it('reads no version of a package that says none, and not that of the project for it', () => {
    const folder = createProject({
      'package.json': { version: '1.0.0', devDependencies: { typescript: '5' } },
      'node_modules/express/index.js': 'module.exports = 1',
      'node_modules/typescript/index.js': 'module.exports = 1',
      'server.js': serverCode,
    })
    expect(findingsOfPackage(folder, join(folder, 'server.js'))).toEqual([])
  })

  it.each([
    ['v18.20.4', true],
    ['v20.18.1', true],
    ['v20.19.0', false],
    ['v22.0.0', false],
    ['v26.1.0-nightly20261101', false],
  ])('says of Node %s that it is too old: %s', (version, isTooOld) => {
    expect(nodeFindings(version).map(({ code }) => code)).toEqual(isTooOld ? ['node-version'] : [])
  })

  itSlow(
    'takes what Express 4 itself deprecates for its own, and nothing that the project puts there',
    async () => {
      const app = (patch: string): string =>
        `const express = require('express'); ${patch}; const app = express(); app.get('/', (req, res) => res.end()); app.listen(0)`
      const folder = createProject({
        'server.js': app(''),
        'patched.js': app('express.request.acceptsCharset = function () {}'),
      })
      mkdirSync(join(folder, 'node_modules'))
      symlinkSync(join(installed, 'express4'), join(folder, 'node_modules/express'))
      expect(briefly(await findingsOf('--cwd', folder, 'server.js'))).toEqual([])
      expect(briefly(await findingsOf('--cwd', folder, 'patched.js'))).toEqual([
        'patched | request.acceptsCharset: put on Express itself | patched.js:1',
      ])
    },
  )

  it.each(
    slowRows(1, [
      ['3.21.2', 'npm install express@4'],
      ['4.16.4', 'npm install express@4'],
      ['6.0.0', 'npm install express@5'],
    ]),
  )('refuses Express %s', async (version, remedy) => {
    const folder = createProject({
      'node_modules/express/package.json': { version, main: 'index.js' },
      'node_modules/express/index.js': `module.exports = require(${JSON.stringify(join(installed, 'express'))})`,
      'server.js': serverCode,
    })
    const [finding] = await findingsOf('--cwd', folder)
    expect([finding?.kind, finding?.message]).toEqual([
      'express',
      expect.stringContaining(`Express ${version} is`),
    ])
    expect(finding?.remedy).toContain(remedy)
  })

  it('says what the files tell of an app that does not start', async () => {
    const folder = createProject({
      'package.json': { dependencies: { newrelic: '12' }, scripts: { start: 'node broken' } },
      'broken.js': 'process.exit(4)',
    })
    const { code, stdout, stderr } = await doctor('--cwd', folder)
    expect(code).toBe(3)
    expect(stdout).toContain('agent       newrelic: it watches')
    expect(stderr).toContain('npm start runs "node broken", so the entry is broken.js\n')
    expect(stderr).toContain('exit code 4; so only what its files say is shown')
  })

  it('refuses a folder whose start script runs no file that is there', async () => {
    const folder = createProject({ 'package.json': { scripts: { start: 'next start' } } })
    expect(await doctor('--cwd', folder)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        'npm start runs "next start", and next serves no Express: routecontrollers doctor server.js',
      ) as string,
    })
    const missing = createProject({ 'package.json': { scripts: { start: 'node missing' } } })
    expect((await doctor('--cwd', missing)).stderr).toContain('npm start runs no file that is there')
  })

  it.each([
    [
      { 'start:dev': 'tsx watch src/app.ts' },
      'npm run start:dev runs "tsx watch src/app.ts", so the entry is src/app.ts',
    ],
    [{ main: 'src/app' }, 'package.json has "main": "src/app", so the entry is src/app.ts'],
  ])('says by what it has found the entry: %j', async (given: Record<string, string>, sentence) => {
    const { main, ...scripts } = given
    const folder = createProject({
      'package.json': { main, scripts: { start: 'node dist/app.js', ...scripts } },
      'src/app.ts': 'process.exit(4)',
    })
    expect((await doctor('--cwd', folder)).stderr).toContain(`${sentence}\n`)
  })

  it('says what the files say where Node cannot run the entry', async () => {
    const folder = createProject({
      'package.json': { engines: { node: '>=18' } },
      'app.mts': 'export {}',
    })
    // Newer versions of Node run TypeScript themselves.
    const { typescript } = process.features as { typescript?: unknown }
    const { code, stdout, stderr } = await doctor('app.mts', '--cwd', folder)
    expect([code, stdout]).toEqual([3, expect.stringContaining('>=18')])
    expect(stderr).toContain(
      typescript
        ? 'app.mts has made no app of Express'
        : 'install tsx (npm install --save-dev tsx), or use Node 22.18 or newer; so only',
    )
    expect(stdout).toContain('what the files of the project say: 1 finding')
  })

  it('says that an entry serves no Express', async () => {
    const folder = createProject({
      'package.json': { scripts: { start: 'node server.js' } },
      'server.js': "require('http').createServer((req, res) => res.end()).listen(3000)",
    })
    const { code, stderr } = await doctor('--cwd', folder)
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('server.js listens, but with no app of Express'),
    ])
  })
})

describe('The entry that npm start runs', () => {
  it.each([
    ['node server.js', 'server.js', [], {}],
    ['node .', 'index.js', [], {}],
    ['node ./src/app --port 3000 -v', 'src/app.js', ['--port', '3000', '-v'], {}],
    ['NODE_ENV=production node server', 'server.js', [], { NODE_ENV: 'production' }],
    ["cross-env A=1 B='2 3' node server", 'server.js', [], { A: '1', B: '2 3' }],
    ['npm run build && node dist/main.js', 'dist/main.js', [], {}],
    ['node dist/main.js && node server.js', 'server.js', [], {}],
    ['npm run serve', 'src/app.ts', [], { TZ: 'UTC' }],
    ['A=1 TZ=CET npm run serve', 'src/app.ts', [], { A: '1', TZ: 'UTC' }],
    ['nodemon --watch src --exec tsx src/app.ts', 'src/app.ts', [], {}],
    ['ts-node -P tsconfig.json src/app.ts', 'src/app.ts', [], {}],
    ['tsx watch src/app.ts', 'src/app.ts', [], {}],
    ['node --watch server.js', 'server.js', [], {}],
    ['tsx --tsconfig dist/main.js src/app.ts', 'src/app.ts', [], {}],
    ['DEBUG=express:* node server.js "a b" \'c d\'', 'server.js', ['a b', 'c d'], { DEBUG: 'express:*' }],
    ['export A=1 B="2 3"; A=4 node server.js', 'server.js', [], { A: '4', B: '2 3' }],
    ['(cd src && tsc) && node server.js', 'server.js', [], {}],
    ['node server.js one | node_modules/.bin/pino-pretty --colorize', 'server.js', ['one'], {}],
    ['node server.js one > app.log 2>&1', 'server.js', ['one'], {}],
    ['node server.js # the shop', 'server.js', [], {}],
    ['npm run serve -- --port 3000', 'src/app.ts', ['--port', '3000'], { TZ: 'UTC' }],
    ['npm run --silent serve --quiet one -- --port 1', 'src/app.ts', ['one', '--port', '1'], { TZ: 'UTC' }],
    ['npm run-script serve one', 'src/app.ts', ['one'], { TZ: 'UTC' }],
    ['yarn serve --port 1', 'src/app.ts', ['--port', '1'], { TZ: 'UTC' }],
    ['pnpm run serve --port 1', 'src/app.ts', ['--port', '1'], { TZ: 'UTC' }],
    ['npm ci && npm install && npx tsc && npm run serve', 'src/app.ts', [], { TZ: 'UTC' }],
    ['nodemon --exec "A=1 node src/app.js" --watch src', 'src/app.js', [], { A: '1' }],
    ['node dist/main.js || true; node server.js', 'server.js', [], {}],
    [undefined, 'server.js', [], {}],
  ])('%s', (start, entry, parameters, env) => {
    const folder = createProject({
      'package.json': { scripts: { start, serve: 'TZ=UTC tsx src/app.ts', build: 'tsc' } },
      'server.js': '',
      'index.js': '',
      'src/app.js': '',
      'src/app.ts': '',
      'dist/main.js': '',
    })
    const found = defaultEntry(folder)
    expect(found).toMatchObject({ entry: join(folder, entry), parameters, env, leftOut: [] })
  })

  it.each([
    [
      'node -r dotenv/config --import=./trace.mjs --max-old-space-size=512 server.js',
      ['--require=dotenv/config', '--import=./trace.mjs'],
    ],
    ['node -r "./my pre.js" server.js', ['--require=./my pre.js']],
    ['node -C shop --conditions=teas server.js', ['--conditions=shop', '--conditions=teas']],
    [
      'node --env-file=.env --env-file ../all.env server.js',
      ['--env-file=FOLDER/.env', '--env-file=ABOVE/all.env'],
    ],
    ['tsx --env-file-if-exists ".env local" server.js', ['--env-file-if-exists=FOLDER/.env local']],
  ])('gets the options of Node: %s', (start, nodeOptions) => {
    const folder = createProject({ 'package.json': { scripts: { start } }, 'server.js': '' })
    const found = defaultEntry(folder)
    expect(found).toMatchObject({ parameters: [], env: {}, leftOut: [] })
    expect(found?.nodeOptions).toEqual(
      nodeOptions.map((option) => option.replace('FOLDER', folder).replace('ABOVE', dirname(folder))),
    )
  })

  it.each([
    ['MODE=${MODE:-a b} A=1 node server.js', ['MODE=${MODE:-a b}'], '--env MODE=value', { A: '1' }],
    ['MODE="$MODE" node server.js now', ['MODE="$MODE"'], '--env MODE=value', {}],
    ['MODE=`cat mode` node server.js now', ['MODE=`cat mode`'], '--env MODE=value', {}],
    ["cross-env MODE='$MODE' node server.js now", ["MODE='$MODE'"], '--env MODE=value', {}],
    ['export MODE=a && MODE=$B node server.js now', ['MODE=$B'], '--env MODE=value', {}],
    ['MODE=$B npm run given', [], '', { MODE: 'c' }],
    ['export $(cat .env | xargs) && node server.js', ['$(cat .env | xargs)'], '--env NAME=value', {}],
    ['set MODE=a&& node server.js', ['set MODE=a'], '--env NAME=value', {}],
    ['. ./.env; node server.js', ['. ./.env'], '--env NAME=value', {}],
    ['dotenv -- node server.js', ['dotenv'], '--env NAME=value', {}],
    ['node server.js --port $PORT now', ['--port $PORT now'], '-- ARGUMENTS', {}],
    ['node server.js views/*.html', ['views/*.html'], '-- ARGUMENTS', {}],
    ['node -r $PRE server.js', ['-r $PRE'], '--env NODE_OPTIONS=value', {}],
    ['node --env-file=$FILE server.js', ['--env-file=$FILE'], '--env NAME=value', {}],
    [
      'node server.js < teas.txt',
      ['node server.js < teas.txt'],
      '--entry FILE of one that needs no input',
      {},
    ],
  ])('leaves out what only a shell knows: %s', (start, texts, remedy, env) => {
    const folder = createProject({
      'package.json': { scripts: { start, given: 'MODE=c node server.js' } },
      'server.js': '',
    })
    const found = defaultEntry(folder)
    expect(found?.entry).toBe(join(folder, 'server.js'))
    expect(found?.leftOut).toEqual(texts.map((text) => ({ text, remedy })))
    expect(found?.env).toEqual(env)
  })

  it.each([
    ...['npm --prefix=server run dev', 'npm -w server run dev', 'npm run dev --workspace server'],
    ...['npm run dev --workspaces', 'npm run dev -ws', 'yarn workspace server dev', 'yarn --cwd server dev'],
    ...['pnpm -C server dev', 'pnpm --dir server dev', 'pnpm --filter server dev', 'pnpm -F server dev'],
    ...['pnpm -r dev', 'pnpm --recursive dev', 'yarn workspaces run dev'],
    ...['chdir server && node app.js', 'pushd server; node app.js', 'npm run $SCRIPT'],
  ])('is not guessed of another package, or in another folder: %s', (start) => {
    const folder = createProject({
      'package.json': { scripts: { start, dev: 'node server.js' } },
      ...{ 'app.js': '', 'server.js': '' },
    })
    expect(defaultEntry(folder)).toBeUndefined()
  })

  it('is the first of the scripts that start an app, and no script runs itself', () => {
    const names = ['start', 'start:dev', 'start:local', 'start:prod', 'dev', 'develop', 'serve', 'server']
    for (const [at, name] of names.entries()) {
      const scripts = Object.fromEntries(
        names.map((one, number) => [one, number < at ? 'tsc' : `node ${one.replace(':', '-')}.js`]),
      )
      const files = Object.fromEntries(names.map((one) => [`${one.replace(':', '-')}.js`, '']))
      const found = defaultEntry(createProject({ 'package.json': { scripts }, ...files }))
      const by = name === 'start' ? 'npm start' : `npm run ${name}`
      expect(found?.by).toBe(`${by} runs "node ${name.replace(':', '-')}.js"`)
    }
    const scripts = { start: 'npm run again', again: 'npm start', dev: 'node dev.js' }
    expect(defaultEntry(createProject({ 'package.json': { scripts }, 'dev.js': '' }))?.by).toContain(
      'npm run dev',
    )
  })

  it.each([
    'cd server && node app.js',
    'cd server && npm run dev',
    'npm --prefix server start',
    'node $FILE',
    'node dist/*.js',
    '$NODE app.js',
    'if [ "$A" ]; then node app.js; else node server.js; fi',
    'node app.js || node server.js',
    'node app.js & node server.js',
    'node app.js | node server.js',
    'node "app.js',
  ])('is not guessed of: %s', async (start) => {
    const folder = createProject({
      'package.json': { scripts: { start, dev: 'node server.js' }, main: 'server.js' },
      'app.js': '',
      'server.js': '',
      'server/app.js': '',
    })
    expect(defaultEntry(folder)).toBeUndefined()
    const { code, stderr } = await doctor('--cwd', folder)
    expect([code, stderr]).toEqual([
      2,
      `routecontrollers: doctor needs the entry of the app, and npm start runs ${JSON.stringify(start)}, of which only a shell knows the file: routecontrollers doctor server.js\n`,
    ])
  })

  itSlow('runs with the files of variables and the options that the script has', async () => {
    const folder = createProject(
      {
        'package.json': { scripts: { start: 'node --env-file=.env -r "./my pre.js" app.js $MORE' } },
        '.env': 'SECOND=/second',
        'my pre.js': "process.env.FIRST = '/first'",
        'app.js': `const app = require('express')()
for (const name of ['FIRST', 'SECOND', 'THIRD']) app.get(process.env[name] ?? '/none', (req, res) => res.end())
app.listen(0)`,
      },
      ['express'],
    )
    process.env['NODE_OPTIONS'] = '--require "./set third.js"'
    try {
      writeFileSync(join(folder, 'set third.js'), "process.env.THIRD = '/third'")
      const { stdout, stderr } = await command.run('inspect', '--json', '--cwd', folder)
      const { routes } = JSON.parse(stdout) as { routes: readonly { readonly path: string }[] }
      expect(routes.map(({ path }) => path)).toEqual(['/first', '/second', '/third'])
      expect(stderr).toContain(', and only a shell knows "$MORE", which is left out: give -- ARGUMENTS\n')
      expect((await command.run('inspect', '--cwd', folder, '--', 'more')).stderr).not.toContain('left out')
    } finally {
      delete process.env['NODE_OPTIONS']
    }
  })

  it.each([
    [{ start: 'node dist/none.js', 'start:dev': 'nodemon server.js' }, undefined, 'server.js'],
    [{ start: 'vite', dev: 'A=1 tsx src/app' }, 'server.js', 'src/app.ts'],
    [{ start: 'node .' }, './lib', 'lib/index.js'],
    [{ start: 'nodemon' }, 'lib/other.js', 'lib/other.js'],
    [{ start: 'nest start' }, undefined, 'src/main.ts'],
    [{ test: 'jest' }, 'lib/other.js', 'lib/other.js'],
    [{ start: 'vite' }, 'lib/other.js', undefined],
  ])('of the scripts %j and the main %j is %s', (scripts, main, entry) => {
    const folder = createProject({
      'package.json': { scripts, main },
      ...(main !== 'lib/other.js' && { 'server.js': '' }),
      'src/app.ts': '',
      'src/main.ts': '',
      'lib/index.js': '',
      'lib/other.js': '',
    })
    expect(defaultEntry(folder)?.entry).toBe(entry && join(folder, entry))
  })

  it('is that of a package.json with a byte order mark', () => {
    const folder = createProject({ 'package.json': '\uFEFF{ "main": "app.js" }', 'app.js': '' })
    expect(defaultEntry(folder)?.entry).toBe(join(folder, 'app.js'))
  })

  it.each([
    'next start',
    'node missing.js',
    'node -e "1" app.js',
    'npm run start',
    'node',
    'npm run constructor',
    'npm run toString',
    'npm run __proto__',
  ])('is none of: %s', (start) => {
    const folder = createProject({ 'package.json': { scripts: { start } }, 'app.js': '' })
    expect(defaultEntry(folder)).toBeUndefined()
  })

  it.each([
    { scripts: null },
    { scripts: ['node app.js'] },
    { scripts: { start: 5 } },
    { scripts: 'a', main: 5 },
  ])('is server.js, as for npm, where no script has a text: %j', (manifest) => {
    const folder = createProject({ 'package.json': manifest, 'server.js': '' })
    expect(defaultEntry(folder)?.entry).toBe(join(folder, 'server.js'))
  })

  it.each(['null', '{', '[]', '5', ''])('needs a package.json that is one: %s', async (text) => {
    const folder = createProject({ 'package.json': text, 'server.js': "require('http')" })
    const { code, stdout, stderr } = await doctor('--cwd', folder)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`routecontrollers: ${join(folder, 'package.json')} cannot be read: `)
    expect(stderr).not.toContain('    at ')
  })
})
