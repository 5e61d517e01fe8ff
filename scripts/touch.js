// Shows who objects to a change that is made in one place alone: `npm run touch [-- file…]`. Each file of scripts/touch is such a change, in
// steps. A step edits texts, on top of the steps before it, and names who has to object: places of the code, to which the compiler does, and
// tests and checks, which run in a copy of the repository. Fails where one of them does not. Nothing is written outside of a temporary folder.
// With `--quick` the compiler reads the files of those places alone.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '..')
const isQuick = process.argv.includes('--quick')
// Those of `npm run types`: the others have files of the first one, with stricter rules.
const projects = ['tsconfig.json', 'packages/switch/src/page/browser/tsconfig.json'].map((name) => {
  const file = join(root, name)
  const { config } = ts.readConfigFile(file, ts.sys.readFile)
  return ts.parseJsonConfigFileContent(config, ts.sys, join(file, '..'))
})

/** Text by file, from the root on, after the edits of a step: each is made where its text stands, once. */
function edited(texts, { edits }) {
  const all = new Map(texts)
  const textOf = (file) => all.get(file) ?? readFileSync(join(root, file), 'utf8')
  for (const { file: place, find, replace } of edits) {
    const [file, other] = filesAt(place).filter((one) => textOf(one).includes(find))
    const parts = file === undefined ? [] : textOf(file).split(find)
    if (parts.length !== 2 || other !== undefined) throw new Error(`${place} does not have once: ${find}`)
    all.set(file, parts.join(replace))
  }
  return all
}

/** A file, or all of a folder. */
function filesAt(place) {
  if (place.includes('.')) return [place]
  return readdirSync(join(root, place)).map((name) => `${place}/${name}`)
}

const parsed = new Map()

/** What the compiler says where some files have another text. */
function diagnosticsWith(texts, places) {
  const changed = new Map([...texts].map(([file, text]) => [join(root, file), text]))
  return projects.flatMap(({ options, fileNames }, at) => {
    const host = ts.createCompilerHost(options)
    const { getSourceFile } = host
    host.getSourceFile = (file, target) => {
      if (changed.has(file)) return ts.createSourceFile(file, changed.get(file), target, true)
      const key = `${at} ${file}`
      if (!parsed.has(key)) parsed.set(key, getSourceFile(file, target))
      return parsed.get(key)
    }
    const program = ts.createProgram(fileNames, options, host)
    if (!isQuick) return program.getSemanticDiagnostics()
    const named = new Set(places.map((place) => program.getSourceFile(join(root, place.split('#')[0]))))
    return [...named].flatMap((file) => (file ? program.getSemanticDiagnostics(file) : []))
  })
}

/** `file#name`: the declaration of a file in which the compiler has found something. */
function placeOf({ file, start }) {
  const around = file.statements.find((one) => one.pos <= start && start < one.end)
  const [declared = around] = around?.declarationList?.declarations ?? []
  return `${relative(root, file.fileName)}#${declared?.name?.text ?? ''}`
}

function lineOf({ file, start, messageText }) {
  const [message] = ts.flattenDiagnosticMessageText(messageText, '\n').split('\n')
  const { line } = file.getLineAndCharacterOfPosition(start)
  return `${relative(root, file.fileName)}:${line + 1}: ${message}`
}

// What checks read; tests that run meanwhile write nothing there.
const copied = [
  'README.md',
  'docs',
  'jest.config.js',
  'package.json',
  'packages',
  'scripts',
  'src',
  'test/docs',
  'test/support',
  'tsconfig.json',
]
let copy

/** What a command says in a copy of the repository where some files have another text; undefined where it objects to nothing. */
function objectionOf(command, texts) {
  if (copy === undefined) {
    copy = mkdtempSync(join(tmpdir(), 'touch-'))
    const isKept = (file) => !['node_modules', 'dist'].includes(basename(file))
    for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true, filter: isKept })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  }
  for (const [file, text] of texts) writeFileSync(join(copy, file), text)
  const env = { ...process.env, TEST_ALL: undefined, FORCE_COLOR: '0' }
  const { status, stdout, stderr } = spawnSync(process.execPath, command.split(' '), {
    cwd: copy,
    env,
    encoding: 'utf8',
  })
  for (const file of texts.keys()) cpSync(join(root, file), join(copy, file))
  return status === 0 ? undefined : stdout + stderr
}

/** Whoever should object to a step and does not. */
function missingIn({ compiler = [], checks = [] }, texts) {
  const found = compiler.length === 0 ? [] : diagnosticsWith(texts, compiler)
  for (const line of new Set(found.map(lineOf))) console.log(`  ${line}`)
  const places = new Set(found.map(placeOf))
  const silent = checks.filter(({ command, says }) => {
    const objects = objectionOf(command, texts)?.includes(says) === true
    if (objects) console.log(`  node ${command}: ${says}`)
    return !objects
  })
  return [
    ...compiler.filter((place) => !places.has(place)),
    ...silent.map(({ command, says }) => `node ${command}: ${says}`),
  ]
}

const folder = join(import.meta.dirname, 'touch')
const given = process.argv.slice(2).filter((one) => one !== '--quick')
const unknown = given.find((file) => !existsSync(file))
if (unknown !== undefined) {
  console.error(`There is no file ${unknown}: npm run touch -- [--quick] [scripts/touch/finding.json …]`)
  process.exit(2)
}
const files = given.length > 0 ? given : readdirSync(folder).map((name) => join(folder, name))
console.log(
  'Each change below is made in one place alone. The lines that follow it are of who objects, as they should.',
)
try {
  for (const file of files) {
    const { change, steps } = JSON.parse(readFileSync(file, 'utf8'))
    let texts = new Map()
    for (const step of steps) {
      console.log(`${change}: ${[...new Set(step.edits.map((edit) => edit.file))].join(', ')} is edited`)
      texts = edited(texts, step)
      for (const missing of missingIn(step, texts)) {
        console.log(`  NOBODY OBJECTS: ${missing}`)
        process.exitCode = 1
      }
    }
  }
} finally {
  if (copy !== undefined) rmSync(copy, { recursive: true })
}
console.log(
  process.exitCode === 1 ? 'Some places are silent.' : 'Every place that such a change has objects.',
)
