// The skill in the package of the command: its form, and that each command line in it is one.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommandLine } from '../../packages/cli/src/entry/options.js'
import { commandNames } from '../../packages/cli/src/entry/options-table.js'
import { createCommittedProject } from './move/move-project.js'
import { createCommand } from './run-command.js'
import { itSlow } from '../support/counts.js'

jest.setTimeout(300_000)

const folder = join(__dirname, '../../packages/cli')
const text = readFileSync(join(folder, 'skills/migrate-express/SKILL.md'), 'utf8')
const lines = [...text.matchAll(/^ *npx routecontrollers (.*)$/gm)].map(([, line]) => line!)

/** As a shell would take it apart, for what is written here: words, and texts in single quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

it('The skill has the front matter of the Agent Skills format, and is in the package', () => {
  const [, front = ''] = /^---\n([^]*?)\n---\n/.exec(text) ?? []
  const fields = Object.fromEntries(
    front.split('\n').map((line) => [line.split(':', 1)[0]!, line.replace(/^\w+: /, '')]),
  )
  expect(Object.keys(fields)).toEqual(['name', 'description'])
  // The name is that of its folder.
  expect(fields['name']).toBe('migrate-express')
  expect(fields['description']!.length).toBeLessThanOrEqual(1024)
  expect(fields['description']).not.toMatch(/: |[<>]/)
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { files: string[] }
  expect(files).toContain('skills')
})

it('Each command of the road is in it', () => {
  const named = new Set(lines.map((line) => line.split(' ', 1)[0]!))
  expect(commandNames.filter((name) => !named.has(name))).toEqual(['parity', 'replay'])
})

itSlow('Each of its command lines runs, in its order, and moves an app', async () => {
  const files = {
    'package.json':
      '{ "scripts": { "start": "node server.js" }, "dependencies": { "routecontrollers": "*" } }',
    'server.js': `
const express = require('express')
const app = express()
app.use(express.json())
const orders = ['none', { tea: 1 }]
const requireUser = (req, res, next) => (req.get('authorization') ? next() : res.sendStatus(401))
app.get('/orders/:id', requireUser, (req, res) => {
  const send = () => res.json(orders[req.params.id] ?? {})
  send()
})
app.post('/orders', (req, res) => {
  res.status(201).json({ order: req.body })
})
app.listen(0)
`,
  }
  const command = createCommand()
  const project = createCommittedProject(files)
  const codes: Record<string, number> = {}
  try {
    for (const line of lines) {
      const words = wordsOf(line)
      expect(readCommandLine([...words, '--cwd', project.folder])).toHaveProperty('command')
      const { code, stdout, stderr } = await command.run(
        ...words,
        '--cwd',
        project.folder,
        '--settle-ms',
        '50',
      )
      if (code > 1) throw new Error(`${line}: ${stderr}`)
      codes[line.replace(/ --.*/, '')] = code
      project.git('add', '.')
      project.git('commit', '-qm', line, '--allow-empty')
      // Each names what comes next.
      if (words[0] === 'move')
        expect(stdout).toContain("By hand: routecontrollers brief 'GET /orders/:id' has")
      if (words[0] === 'status') {
        expect(stdout).toMatch(/^GET \/orders\/:id .* routecontrollers brief 'GET \/orders\/:id'$/m)
        expect(stdout).toMatch(
          /^POST \/orders .* routecontrollers prove 'POST \/orders' --unsafe, then set\(/m,
        )
      }
      if (words[0] !== 'brief') continue
      // What the page says.
      const file = join(project.folder, 'server.js')
      const before = readFileSync(file, 'utf8')
      const after = before.replace(
        /native\(fromExpress\([^]*?\}\)\)/,
        'native((req, res) => res.json(orders[req.params.id] ?? {}))',
      )
      expect(after).not.toBe(before)
      writeFileSync(file, after)
    }
    expect(codes).toEqual({
      doctor: 0,
      inspect: 0,
      move: 0,
      status: 0,
      "brief 'GET /orders/:id'": 0,
      "prove 'GET /orders/:id'": 0,
      "prove 'POST /orders'": 0,
      check: 0,
      "retire 'GET /orders/:id'": 0,
      lift: 0,
    })
    expect(readFileSync(join(project.folder, 'server.js'), 'utf8')).not.toContain('const send')
  } finally {
    command.remove()
    project.remove()
  }
})
