// What takes minutes to prove: `npm run test:hard`, or `npm run test:hard -- --rows wire,parsers --scale 0.01 --seed 7`.
// Each row runs in a process of its own, one after the other, and the table of them is printed at the end.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Outcome, Row } from './row.js'

const names = [
  'wire',
  'parsers',
  'files',
  'guards',
  'apps',
  'changing',
  'locks',
  'equality',
  'complexity',
  'aborts',
  'idle',
  'slow',
  'transfer',
  'soak',
  'switch',
  'shadow',
  'compare',
] as const
const mostShown = 20

const { rows, scale, seed } = readOptions()

function readOptions(): { rows: string[]; scale: number; seed: number } {
  const { rows, scale, seed } = parse()
  const asked = rows.split(',')
  const unknown = asked.filter((name) => !(names as readonly string[]).includes(name))
  if (unknown.length > 0) stop(`There is no row '${unknown.join(', ')}': --rows takes ${names.join(', ')}`)
  if (!(Number(scale) > 0 && Number.isFinite(Number(scale)))) {
    stop(`--scale takes a number above 0, as 0.01, not '${scale}'`)
  }
  if (!/^-?\d+$/.test(seed)) stop(`--seed takes a whole number, not '${seed}'`)
  return { rows: asked, scale: Number(scale), seed: Number(seed) }
}

function parse(): { rows: string; scale: string; seed: string } {
  try {
    return parseArgs({
      options: {
        rows: { type: 'string', default: names.join(',') },
        scale: { type: 'string', default: '1' },
        seed: { type: 'string', default: '1' },
      },
    }).values
  } catch (error) {
    stop(`${(error as Error).message}: there are --rows, --scale and --seed`)
  }
}

function stop(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

interface Line extends Outcome, Pick<Row, 'asked'> {
  name: string
  seconds: number
}

const lines: Line[] = []
for (const name of rows) lines.push(await runRow(name))

const size = scale === 1 ? '' : `, scale ${scale}`
console.log(`\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, seed ${seed}${size}\n`)
console.log('| row | asked | measured | time | |\n| --- | --- | --- | --- | --- |')
for (const { name, asked, measured, seconds, verdict } of lines) {
  console.log(`| ${name} | ${asked} | ${measured} | ${seconds.toFixed(0)} s | ${verdict} |`)
}
console.log('\nOne row: npm run test:hard -- --rows <row>')
process.exit(lines.some(({ verdict }) => verdict === 'failed') ? 1 : 0)

async function runRow(name: string): Promise<Line> {
  const began = performance.now()
  console.error(`${name} …`)
  const child = fork(join(import.meta.dirname, 'row-process.ts'), [name, String(scale), String(seed)], {
    // Room for what is young: to copy what lives is more work for a large input than for a small one. Servers have their own.
    execArgv: ['--import', 'tsx', '--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=128'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let line: Outcome & Pick<Row, 'asked'> = {
    asked: '',
    measured: 'it ended before its result',
    verdict: 'failed',
  }
  child.on('message', (message: typeof line) => (line = message))
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  if (code !== 0 || line.asked === '') {
    line = { ...line, measured: `${line.measured} (${signal ?? `exit code ${code}`})`, verdict: 'failed' }
  }
  const { findings = [] } = line
  for (const finding of findings.slice(0, mostShown)) console.error(`  ${finding}`)
  if (findings.length > mostShown) console.error(`  … and ${findings.length - mostShown} more`)
  const seconds = (performance.now() - began) / 1000
  console.error(`${name}: ${line.measured}, ${seconds.toFixed(0)} s, ${line.verdict}`)
  return { name, seconds, ...line }
}
