// What the loop learns of an entry, from a process that looks at many, is what a process of its own tells.
import { type Command, createCommand } from './run-command.js'
import { ProjectFolder } from './project-folder.js'
import { itSlow, slowRows } from '../support/counts.js'

let commands: Command[]
let folders: ProjectFolder[]
beforeAll(() => {
  commands = [createCommand({ ownProcesses: false }), createCommand({ ownProcesses: true })]
})
afterAll(() => {
  for (const command of commands) command.remove()
})
beforeEach(() => {
  folders = commands.map((command) => new ProjectFolder(command))
})
afterEach(() => {
  for (const folder of folders) folder.remove()
})

/** Both say the same of these apps, one after the other; gives what they say. */
async function toldOf(...apps: string[]): Promise<string[]> {
  const told: string[] = []
  for (const app of apps) {
    const [one, other] = await Promise.all(
      folders.map(async (folder) => {
        folder.write('app.cjs', app)
        const { code, stdout, stderr } = await folder.run('inspect', 'app.cjs', '--json')
        return { code, stdout, stderr: stderr.replaceAll(folder.path, '') }
      }),
    )
    // What Node says of a crash has numbers of its own modules.
    const isWhole = one!.code === 0
    expect(isWhole ? one : one!.code).toEqual(isWhole ? other : other!.code)
    told.push(isWhole ? one!.stdout : one!.stderr)
  }
  return told
}

const app = (name: string, ...lines: string[]): string =>
  `const app = require('${name}')()
app.get('/a', function guard(req, res, next) { next() }, (req, res) => res.end())
${lines.join('\n')}
app.listen(3000)`

it.each(slowRows(1, ['express4', 'express']))('An app of %s', async (name) => {
  const router = `app.use('/b', require('${name}').Router().get('/c', (req, res) => res.end()))`
  const [told, more] = await toldOf(app(name), app(name, router))
  expect(told).toContain('app.cjs:2')
  expect(more).toContain('/b/c')
})

itSlow('An app finds nothing of the one before', async () => {
  const said = 'console.log(Object.keys(globalThis).includes("left"), process.env.LEFT, [].left, app.left)'
  const express = "require('express').application"
  const leaves = `globalThis.left = process.env.LEFT = Array.prototype.left = ${express}.left = 'left'`
  const [, second] = await toldOf(app('express', leaves), app('express', said))
  expect(second).not.toContain('left')
})

itSlow('An app that fails, that exits, or that goes on', async () => {
  const goesOn = "setInterval(() => {}, 10); app.get('/d', (req, res) => res.end())"
  const [failed, , told, last] = await toldOf(
    app('express', "throw new Error('no database')"),
    app('express', 'process.exit(7)'),
    app('express', goesOn),
    app('express'),
  )
  expect(failed).toContain('no database')
  expect(told).toContain('/d')
  expect(last).not.toContain('/d')
})
