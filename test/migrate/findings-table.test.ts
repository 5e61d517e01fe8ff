// A finding that is added to the list of facts alone does not compile: neither without its entry in the table, nor without its texts.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'

jest.setTimeout(120_000)

const root = join(__dirname, '../..')
const source = 'packages/cli/src'
const files = ['inspect-findings', 'check-findings', 'check-document', 'doctor-findings', 'reporters'].map(
  (name) => join(root, source, 'report', `${name}.ts`),
)
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

/** A file of documents with a change in one place. */
function edited(name: string, place: string, added: string): Record<string, string> {
  const file = `${source}/${name}`
  const text = readFileSync(join(root, file), 'utf8')
  expect(text.split(place)).toHaveLength(2)
  return { [file]: text.replace(place, `${place}${added}`) }
}

describe('The tables of findings and reporters', () => {
  it('compile as they are', () => {
    expect(objectionsTo({})).toEqual([])
  })

  it.each([
    ['documents/check.ts', 'export interface CheckFacts {', 'report/check-findings.ts'],
    ['documents/check.ts', 'export type ChangeKind =\n  |', 'report/check-findings.ts'],
    ['documents/check.ts', 'interface NoteFacts {', 'report/check-findings.ts'],
    ['documents/inventory.ts', 'export interface InspectFacts {', 'report/inspect-findings.ts'],
    ['documents/doctor.ts', 'interface DoctorFacts {', 'report/doctor-findings.ts'],
    ['report/reporters.ts', 'export interface Documents {', 'report/reporters.ts'],
    ['report/reporters.ts', 'export type ReporterName =', 'report/reporters.ts'],
  ])('do not compile with one more in %s: %s', (name, place, objecting) => {
    const added = place.endsWith('{') ? ' readonly another: {};' : " 'another' |"
    const found = objectionsTo(edited(name, place, added))
    expect(found).not.toEqual([])
    for (const one of found) expect(one).toMatch(new RegExp(`^${objecting}: .*'another'`))
  })
})
