// What `npm start` runs: the entry of an app whose user has named none.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A command line of Node, as far as it is known. */
export interface StartedBy {
  readonly entry: string
  readonly parameters: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

// What runs a file as Node does.
const runners = new Set([
  'node',
  'tsx',
  'ts-node',
  'nodemon',
  'ts-node-dev',
  'tsnd',
  'babel-node',
  'env',
  'cross-env',
])
const withValue = /^(?:-r|-C|--require|--import|--loader|--experimental-loader|--env-file|--conditions)$/

/** The entry of the script `start` of a project; a sentence where there is none that is understood. */
export function startedByNpm(cwd: string): StartedBy | string {
  const file = join(cwd, 'package.json')
  if (!existsSync(file)) return 'there is no package.json'
  const { scripts, main } = JSON.parse(readFileSync(file, 'utf8')) as {
    scripts?: Record<string, string>
    main?: string
  }
  const script = scripts?.['start']
  // As npm does it.
  if (script === undefined && existsSync(join(cwd, 'server.js')))
    return { entry: 'server.js', parameters: [], env: {} }
  if (script === undefined) {
    return main === undefined ? 'package.json has no script start' : { entry: main, parameters: [], env: {} }
  }
  return readScript(script) ?? `the script start is ${JSON.stringify(script)}`
}

/** Reads `cross-env NODE_ENV=production node --enable-source-maps server.js --port 3000`; undefined for what is another thing. */
function readScript(script: string): StartedBy | undefined {
  if (/[|;<>$`\\]|\|\||(?<!&)&(?!&)/.test(script)) return undefined
  // What runs first prepares, as a build does.
  const words = splitWords(script.split('&&').at(-1)!)
  const env: Record<string, string> = {}
  const flags: string[] = []
  let runner: string | undefined
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const variable = /^(\w+)=(.*)$/s.exec(word)
    if (variable !== null) env[variable[1]!] = variable[2]!
    else if (runners.has(word)) runner = word
    else if (runner !== undefined && word.startsWith('-')) {
      flags.push(word)
      if (withValue.test(word)) flags.push(words[++at] ?? '')
    } else if (runner !== undefined) {
      const options = runner === 'node' ? flags.filter((one) => one !== '--watch') : []
      if (options.length > 0)
        env['NODE_OPTIONS'] = [process.env['NODE_OPTIONS'], ...options].filter(Boolean).join(' ')
      return { entry: word, parameters: words.slice(at + 1), env }
    } else return undefined
  }
  return undefined
}

function splitWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare!,
  )
}
