// Where Express is looked up: the program is started by systemd, by a monorepo's root, by a link, by a test runner.
import { buildSync } from 'esbuild'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { itSlow, slowRows } from '../support/counts.js'

const root = join(import.meta.dirname ?? __dirname, '../..')
let base: string
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'routecontrollers-')))
  const shared = {
    bundle: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    external: ['cookie', 'fast-content-type-parse', 'secure-json-parse'] as string[],
  } as const
  const text =
    "export * from './src/index.ts'; export { fromExpress, express4, express5, fromRouter, fromApp, sendFile } from './src/express/index.ts'"
  const stdin = { contents: text, resolveDir: root, loader: 'ts' } as const
  const one = join(base, 'package')
  buildSync({
    ...shared,
    stdin,
    format: 'cjs',
    define: { 'import.meta.url': '__filename' },
    outfile: join(one, 'dist/index.cjs'),
  })
  buildSync({ ...shared, stdin, format: 'esm', outfile: join(one, 'dist/index.mjs') })
  const exports = {
    '.': { import: './dist/index.mjs', require: './dist/index.cjs' },
    './package.json': './package.json',
  }
  writeFileSync(join(one, 'package.json'), JSON.stringify({ name: 'routecontrollers', exports }))
  for (const name of ['cookie', 'fast-content-type-parse', 'secure-json-parse'])
    cpSync(join(root, 'node_modules', name), join(base, 'node_modules', name), {
      recursive: true,
      dereference: true,
    })
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** A package `express` that is the installed one of a version. */
function giveExpress(folder: string, version: 4 | 5): void {
  const from = join(root, 'node_modules', version === 4 ? 'express4' : 'express')
  const at = join(folder, 'node_modules/express')
  mkdirSync(at, { recursive: true })
  cpSync(join(from, 'package.json'), join(at, 'package.json'))
  writeFileSync(join(at, 'index.js'), `module.exports = require(${JSON.stringify(from)})`)
  const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Record<string, unknown>
  writeFileSync(
    join(at, 'package.json'),
    JSON.stringify({ ...manifest, main: 'index.js', exports: undefined }),
  )
}

function givePackage(folder: string): void {
  const at = join(folder, 'node_modules/routecontrollers')
  cpSync(join(base, 'package'), at, { recursive: true })
}

const program = `
const version = fromExpress((req, res) => res.send('lazyrouter' in req.app ? '4' : '5'))
const tell = (text) => console.log(text)
let made
try { made = new RouteControllers([new Controller('GET', '/', version)], process.env.PROFILE ? { profile: process.env.PROFILE } : {}) } catch (error) { tell(error.code + ' ' + error.message) }
if (made) made.getCallback()(new Request('http://x/')).then(async (answer) => tell(answer.status + ' ' + await answer.text()), (error) => tell('rejected ' + error))
`
const names = 'RouteControllers, Controller, fromExpress'
const cjs = `const { ${names} } = require('routecontrollers')\n${program}`
const esm = `import { ${names} } from 'routecontrollers'\n${program}`

let count = 0
/** A folder of its own for each test, which has nothing above it but the dependencies. */
const place = (...files: [string, string][]): string => {
  const folder = join(base, `at${count++}`)
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}

const run = (cwd: string, parameters: string[], env: Record<string, string> = {}): string => {
  const { stdout, stderr } = spawnSync(process.execPath, parameters, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', NODE_ENV: 'production', ...env },
    encoding: 'utf8',
  })
  return (stdout + stderr).trim()
}

describe.each(
  slowRows(1, [
    ['CommonJS', 'main.cjs', cjs],
    ['ESM', 'main.mjs', esm],
  ]),
)('A program of %s with handlers of Express', (_format, file, text) => {
  const alone = (): string => {
    const folder = place([`app/dist/${file}`, text])
    givePackage(join(folder, 'app'))
    return join(folder, 'app')
  }

  it.each([[{}], [{ PROFILE: 'express5' }]])(
    'has its Express where it is started in another folder, %j',
    (env) => {
      const app = alone()
      giveExpress(app, 5)
      expect(run('/', [join(app, 'dist', file)], env)).toBe('200 5')
    },
  )

  itSlow('has its Express where a link starts it', () => {
    const app = alone()
    giveExpress(app, 5)
    const link = join(place(['_', '']), 'start')
    symlinkSync(join(app, 'dist', file), link)
    expect(run('/', [link])).toBe('200 5')
  })

  it('has its own Express where the root of the workspace and the working directory have another one', () => {
    const folder = place([`apps/api/dist/${file}`, text])
    givePackage(folder)
    giveExpress(folder, 4)
    giveExpress(join(folder, 'apps/api'), 5)
    const other = place(['_', ''])
    giveExpress(other, 4)
    for (const cwd of ['/', folder, other])
      expect(run(cwd, [join(folder, 'apps/api/dist', file)])).toBe('200 5')
  })

  itSlow(
    'has the one beside this package where the entry has none, and before it that of the working directory',
    () => {
      const folder = place([`launcher/${file}`, text])
      givePackage(join(folder, 'launcher'))
      const inner = join(folder, 'launcher/node_modules/routecontrollers')
      giveExpress(inner, 4)
      expect(run('/', [join(folder, 'launcher', file)])).toBe('200 4')
      const cwd = place(['_', ''])
      giveExpress(cwd, 5)
      expect(run(cwd, [join(folder, 'launcher', file)])).toBe('200 5')
    },
  )

  itSlow(
    'has that of the working directory where a tool starts it, and its own where it is a package itself',
    () => {
      const folder = place([`node_modules/tool/bin/${file}`, text])
      givePackage(folder)
      giveExpress(folder, 4)
      const cwd = join(folder, 'apps/api')
      giveExpress(cwd, 5)
      expect(run(cwd, [join(folder, 'node_modules/tool/bin', file)])).toBe('200 5')
      // Installed for the whole machine, as `npm install --global` does it.
      givePackage(join(folder, 'node_modules/tool'))
      giveExpress(join(folder, 'node_modules/tool'), 4)
      expect(run(cwd, [join(folder, 'node_modules/tool/bin', file)])).toBe('200 4')
    },
  )

  it('has the Express of the version that a profile names, wherever that is', () => {
    const app = alone()
    giveExpress(app, 5)
    const cwd = place(['_', ''])
    giveExpress(cwd, 4)
    const entry = join(app, 'dist', file)
    expect(run(cwd, [entry], { PROFILE: 'express4' })).toBe('200 4')
    expect(run('/', [entry], { PROFILE: 'express4' })).toMatch(
      /^ERR_EXPRESS_VERSION express4\(\) needs Express 4, found 5\./,
    )
  })

  it.each([[{}], [{ PROFILE: 'express5' }]])(
    'is refused when RouteControllers are made, where there is none, %j',
    (env) => {
      const app = alone()
      const says = run('/', [join(app, 'dist', file)], env)
      expect(says).toMatch(/^ERR_EXPRESS_MISSING .* needs the package express, which is not installed at /)
      // Each place is named.
      for (const part of [
        join(app, 'dist', file),
        ', /, ',
        join(app, 'node_modules/routecontrollers/dist'),
        'npm install express',
      ])
        expect(says).toContain(part)
    },
  )
})

itSlow('A program that Node is given as a folder, as a text or without an ending has its Express', () => {
  const folder = place(['app/index.js', cjs], ['app/package.json', '{}'])
  givePackage(join(folder, 'app'))
  giveExpress(join(folder, 'app'), 5)
  expect(run('/', [join(folder, 'app')])).toBe('200 5')
  expect(run('/', [join(folder, 'app/index')])).toBe('200 5')
  expect(run(join(folder, 'app'), ['--eval', cjs])).toBe('200 5')
})

it('A bundle with Express inside still serves its handlers in an app, and says what is missing without one', () => {
  const folder = place(['_', ''])
  buildSync({
    stdin: {
      contents: `
        import express from 'express'
        import { createServer } from 'node:http'
        import { RouteControllers, Controller, fromExpress } from ${JSON.stringify(join(base, 'package/dist/index.mjs'))}
        const routeControllers = new RouteControllers([new Controller('GET', '/', fromExpress((req, res) => res.send('bundled')))], { logger: { info() {}, warn() {}, error() {} } })
        const app = express().use(routeControllers.middleware())
        const server = createServer(app).listen(0, async () => {
          const answer = await fetch('http://127.0.0.1:' + server.address().port)
                    console.log(answer.status, await answer.text())
          server.close()
          const alone = createServer(routeControllers.middleware()).listen(0, async () => {
            console.log((await fetch('http://127.0.0.1:' + alone.address().port)).status)
            alone.close()
          })
        })`,
      resolveDir: root,
      loader: 'ts',
    },
    nodePaths: [join(root, 'node_modules')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
    outfile: join(folder, 'main.cjs'),
  })
  expect(
    execFileSync(process.execPath, [join(folder, 'main.cjs')], { cwd: '/', encoding: 'utf8' }).trim(),
  ).toBe('200 bundled\n500')
})

it('A Controller that returns sendFile answers 500 where no Express is found, and the log names sendFile', () => {
  const code = `
    const { RouteControllers, Controller, sendFile } = require('routecontrollers')
    const quiet = { info() {}, warn() {}, error: (line) => console.log(line.split('\\n')[0]) }
    const routeControllers = new RouteControllers([new Controller('GET', '/', () => sendFile('/etc/hostname'))], { logger: quiet })
    const server = require('http').createServer(routeControllers.middleware()).listen(0, async () => {
      console.log((await fetch('http://127.0.0.1:' + server.address().port)).status)
      server.close()
    })`
  const folder = place(['main.cjs', code])
  givePackage(folder)
  expect(run('/', [join(folder, 'main.cjs')])).toMatch(
    /sendFile and download use, needs the package express, which is not installed[^]*\n500$/,
  )
})

it('Controllers of a Router answer 500 outside of a host where no Express is found, and do not end the process', () => {
  const code = `
    const router = require(${JSON.stringify(join(root, 'node_modules/express'))}).Router()
    const { RouteControllers, Controller, fromRouter } = require('routecontrollers')
    const quiet = { info() {}, warn() {}, error: (line) => console.log(line.split('\\n')[0].slice(0, 70)) }
    const routeControllers = new RouteControllers([new Controller('GET', '/', () => 'a')], { profile: fromRouter(router), logger: quiet })
    const server = require('http').createServer(routeControllers.middleware()).listen(0, async () => {
      console.log((await fetch('http://127.0.0.1:' + server.address().port)).status)
      server.close()
    })`
  const folder = place(['main.cjs', code])
  givePackage(folder)
  expect(run('/', [join(folder, 'main.cjs')])).toMatch(/^GET \/: .*needs the package express[^]*\n500$/)
})
