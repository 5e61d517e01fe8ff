import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProject, type Project } from './project.js'

let project: Project

beforeAll(() => {
  project = createProject(['express'], ['core', 'switch'])
})

const program = (store: string): string => `
  import express from 'express'
  import { Controller, RouteControllers, Server } from 'routecontrollers'
  import { fileStore, memoryStore, migration } from '@routecontrollers/switch'

  const app = express().get('/teas', (_req, res) => res.json(['legacy']))
  const routeControllers = new RouteControllers([new Controller('GET', '/teas', () => ['native'])])
  const store = ${store}
  const logger = { info() {}, warn: console.warn, error: console.error }
  const switching = migration({ legacy: app, routeControllers, store, logger })
  await switching.ready
  const server = await new Server().start({ port: 0, ...switching.serverOptions })
  const ask = async () => (await fetch(server.getURL() + '/teas')).text()
  const answers = [await ask()]
  await switching.set('GET /teas', 'native', { by: 'test', reason: 'a test' })
  answers.push(await ask())
  console.log(answers.join(' '))
  await server.stop()
  await switching.close()
  process.exit()
`

describe('The packed switch', () => {
  it.each([
    ['memory', 'memoryStore()'],
    ['a file', "fileStore({ file: 'states.json' })"],
  ])('changes a route with a store in %s', (_name, store) => {
    expect(project.node('--input-type=module', '--eval', program(store))).toBe('["legacy"] ["native"]\n')
  })

  it('loads no inspector and no parser', () => {
    const code = `
      require('@routecontrollers/switch')
      const files = Object.keys(require.cache)
      console.log(process.moduleLoadList.includes('NativeModule inspector'), files.filter((file) => /babel|[/\\\\]cli[/\\\\]/.test(file)).length)`
    expect(project.node('--eval', code)).toBe('false 0\n')
  })
})

describe('A frame of the packed packages', () => {
  it('names the file and the line of the source, with its source maps', () => {
    const file = join(project.directory, 'frames.mjs')
    writeFileSync(
      file,
      `import { Controller } from 'routecontrollers'
      import { migration } from '@routecontrollers/switch'
      for (const make of [() => new Controller('GET', 'teas', () => ''), () => migration({})]) {
        try { make() } catch (error) { console.log(error.stack.split('\\n').find((line) => /^ +at /.test(line))) }
      }`,
    )
    const [core, tool] = project.node('--enable-source-maps', file).split('\n')
    expect(core).toMatch(/node_modules\/routecontrollers\/src\/\S+\.ts:\d+:\d+/)
    expect(tool).toMatch(/packages\/switch\/src\/\S+\.ts:\d+:\d+|src\/ground\/\S+\.ts:\d+:\d+/)
  })
})
