// The configurations of docs/ci.md: they give the action what it takes, and commands options that they have.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Command, commandNames, tableOf } from '../../packages/cli/src/entry/options-table.js'
import { reporterNames } from '../../packages/cli/src/report/reporters.js'

const root = join(__dirname, '../..')
const page = readFileSync(join(root, 'docs/ci.md'), 'utf8')
const { inputs, outputs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean }>>
  readonly outputs: Readonly<Record<string, unknown>>
}
const blocks = [...page.matchAll(/^```text\n([^]*?)^```/gm)].map(([, text]) => text!)

interface Step {
  readonly id?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
}

describe('docs/ci.md', () => {
  it('gives the action the inputs that it needs, and no others', () => {
    const { jobs } = parse(blocks[0]!) as { jobs: Record<string, { steps: Step[] }> }
    const own = jobs['guards']!.steps.find(({ uses }) => uses?.startsWith('OWNER/'))!
    const given = Object.keys(own.with!)
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(given))
    expect(given).toEqual(
      expect.arrayContaining(Object.keys(inputs).filter((name) => inputs[name]!.required === true)),
    )
    // What another step reads is an output of this one.
    const read = [...page.matchAll(/steps\.(\w+)\.outputs\.(\w+)/g)].map(([, id, name]) => [id, name])
    expect(read).toEqual([[own.id, expect.any(String)]])
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining([read[0]![1]]))
  })

  it('has each input and each reporter in its table', () => {
    const firsts = [...page.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name!)
    for (const name of [...Object.keys(inputs), ...reporterNames]) expect(firsts).toContain(name)
  })

  it('names no command and no option that the command line has not', () => {
    const lines = [...page.matchAll(/npx routecontrollers ([a-z]+)([^'`\n]*)/g)]
    expect(lines.length).toBeGreaterThan(3)
    for (const [, command, rest] of lines) {
      expect(commandNames).toContain(command)
      const options = [...rest!.matchAll(/--([\w-]+)/g)].map(([, name]) => name!)
      for (const name of options) expect(Object.keys(tableOf(command as Command).options)).toContain(name)
      for (const [, name] of rest!.matchAll(/--reporter ([a-z]+)/g)) expect(reporterNames).toContain(name)
    }
  })
})
