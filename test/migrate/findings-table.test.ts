// A finding that is added to the list of facts alone does not compile: neither without its entry in the table, nor without its texts.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { isWhole, itSlow } from '../support/counts.js'

jest.setTimeout(300_000)

const root = join(__dirname, '../..')
const source = 'packages/cli/src'
const files = [
  'inspect-findings',
  'check-findings',
  'check-document',
  'doctor-findings',
  'prove-missing',
  'reporters',
].map((name) => join(root, source, 'report', `${name}.ts`))
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)).config,
  ts.sys,
  root,
)
const parsed = new Map<string, ts.SourceFile | undefined>()

/** The files of what the compiler objects to where some files have another text. */
function objectionsTo(changed: Readonly<Record<string, string>>): string[] {
  const texts = new Map(Object.entries(changed).map(([name, text]) => [join(root, name), text]))
  const host = ts.createCompilerHost(options)
  const parse = host.getSourceFile.bind(host)
  host.getSourceFile = (name, target) => {
    const text = texts.get(name)
    if (text !== undefined) return ts.createSourceFile(name, text, target)
    if (!parsed.has(name)) parsed.set(name, parse(name, target))
    return parsed.get(name)
  }
  const program = ts.createProgram(files, options, host)
  // What is wrong in other files is for other checks.
  const own = files.flatMap((name) => program.getSemanticDiagnostics(program.getSourceFile(name)))
  return own.map(({ file, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, ' ')
    return `${relative(join(root, source), file!.fileName)}: ${text}`
  })
}

/** Changes one place of a file. */
function addTo(texts: Record<string, string>, name: string, place: string, added: string): void {
  const file = `${source}/${name}`
  const text = texts[file] ?? readFileSync(join(root, file), 'utf8')
  expect(text.split(place)).toHaveLength(2)
  texts[file] = text.replace(place, `${place}${added}`)
}

describe('The tables of findings and reporters', () => {
  itSlow('compile as they are', () => {
    expect(objectionsTo({})).toEqual([])
  })

  const additions = [
    ['documents/check.ts', 'export interface CheckFacts {', 'report/check-findings.ts'],
    ['documents/check.ts', 'export type ChangeKind =\n  |', 'report/check-findings.ts'],
    ['documents/check.ts', 'interface NoteFacts {', 'report/check-findings.ts'],
    ['documents/inventory.ts', 'export interface InspectFacts {', 'report/inspect-findings.ts'],
    ['documents/doctor.ts', 'interface DoctorFacts {', 'report/doctor-findings.ts'],
    ['documents/prove.ts', 'interface MissingFacts {', 'report/prove-missing.ts'],
    ['report/reporters.ts', 'export interface Documents {', 'report/reporters.ts'],
    ['report/reporters.ts', 'export type ReporterName =', 'report/reporters.ts'],
  ].map(([name, place, objecting], at) => ({ name: name!, place: place!, objecting: objecting!, at }))

  // In the loop several are added at once, each with a name of its own. Two of one table would hide each other.
  const rounds = isWhole
    ? additions.map((one) => [one])
    : [0, 1].map((half) => additions.filter(({ at }) => at % 2 === half))
  it.each(rounds.map((added) => ({ added, what: added.map(({ place }) => place).join('; ') })))(
    'do not compile with one more: $what',
    ({ added }) => {
      const texts: Record<string, string> = {}
      for (const { name, place, at } of added) {
        const more = place.endsWith('{') ? ` readonly another${at}: {};` : ` 'another${at}' |`
        addTo(texts, name, place, more)
      }
      const found = objectionsTo(texts)
      for (const { objecting, at } of added) {
        const own = found.filter((one) => new RegExp(`\\banother${at}\\b`).test(one))
        expect(own).not.toEqual([])
        for (const one of own) expect(one).toMatch(new RegExp(`^${objecting}: `))
      }
      expect(found.filter((one) => !/\banother\d/.test(one))).toEqual([])
    },
  )
})
