// Rehearses a release in a clean clone of the last commit: npm run release -- --dry-run. What publishes is a workflow (docs/releasing.md).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

if (process.argv[2] !== '--dry-run') {
  console.error(
    'A release is published by a workflow, from its tag: docs/releasing.md. npm run release -- --dry-run rehearses one.',
  )
  process.exit(2)
}

const root = resolve(import.meta.dirname, '..')
const temp = mkdtempSync(join(tmpdir(), 'release-'))
const clone = join(temp, 'clone')
const packed = join(temp, 'packed')
const folders = ['.', 'packages/cli', 'packages/switch']

const run = (cwd, command, ...parameters) =>
  execFileSync(command, parameters, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const manifestOf = (folder) => JSON.parse(readFileSync(join(clone, folder, 'package.json'), 'utf8'))

const steps = {
  'a clean clone'() {
    run(temp, 'git', 'clone', '--quiet', '--depth=1', `file://${root}`, clone)
    run(clone, 'npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund')
    return run(clone, 'git', 'log', '-1', '--format=%h %s').trim()
  },
  'one version of all packages'() {
    const manifests = folders.map(manifestOf)
    const [{ version }] = manifests
    for (const { name, version: own, dependencies } of manifests) {
      if (own !== version) throw new Error(`${name} has version ${own}, and routecontrollers ${version}`)
      const needed = dependencies.routecontrollers
      if (needed !== undefined && needed !== version)
        throw new Error(`${name} needs routecontrollers ${needed}, not ${version}`)
    }
    return version
  },
  'a changelog'() {
    const text = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8')
    const { version } = manifestOf('.')
    const [, heading, section] = /^## (.*)\n([^]*?)(?=^## |(?![^]))/m.exec(text) ?? []
    const entries = section?.match(/^- /gm)?.length ?? 0
    if (entries === 0) throw new Error(`its first section, ${heading}, says nothing of ${version}`)
    return `${heading}: ${entries} entries`
  },
  'a workflow that publishes with a provenance'() {
    const text = readFileSync(join(clone, '.github/workflows/publish.yml'), 'utf8')
    for (const needed of ['id-token: write', 'npm publish', '--provenance', '--ignore-scripts'])
      if (!text.includes(needed)) throw new Error(`publish.yml has no ${needed}`)
    return 'id-token, --provenance, no scripts'
  },
  'tarballs with the address of a repository'() {
    run(clone, 'node', 'scripts/set-repository.js', 'https://git.example/owner/name')
    mkdirSync(packed)
    for (const folder of folders) run(join(clone, folder), 'npm', 'pack', '--pack-destination', packed)
    return readdirSync(packed).join(', ')
  },
  'a project that installs and uses them'() {
    const project = join(temp, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "private": true }\n')
    const files = readdirSync(packed).map((name) => join(packed, name))
    run(project, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', 'express', ...files)
    writeFileSync(
      join(project, 'server.js'),
      `const app = require('express')()
      const { serve } = require('routecontrollers/express')
      app.use('/admin', function requireAdmin(req, res, next) { res.sendStatus(401) })
      app.get('/admin/users', (req, res) => res.json([]))
      app.get('/health', (req, res) => res.send('ok'))
      serve(app, { port: 0 }).then(async (server) => {
        if (process.argv[2] !== 'try') return
        const [health, admin] = await Promise.all(['/health', '/admin/users'].map((path) => fetch(server.getURL() + path)))
        console.log(health.status, admin.status)
        require('@routecontrollers/switch').migration
        await server.stop()
      })\n`,
    )
    const answered = run(project, 'node', 'server.js', 'try').trim()
    if (answered !== '200 401') throw new Error(`the project has answered ${answered}`)
    const command = (...parameters) => run(project, 'npx', '--no-install', 'routecontrollers', ...parameters)
    command('inspect', 'server.js', '--lock')
    const checked = command('check', 'server.js').trim().split('\n').at(-1)
    return `${answered}; ${checked}`
  },
}

try {
  for (const [name, step] of Object.entries(steps)) {
    const started = performance.now()
    const found = step()
    console.log(`✓ ${name} (${Math.round((performance.now() - started) / 1000)} s): ${found}`)
  }
} catch (error) {
  console.error(`✗ ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
  process.exitCode = 1
} finally {
  rmSync(temp, { recursive: true, force: true, maxRetries: 3 })
}
