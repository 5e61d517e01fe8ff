// What `--help` says, made from the table of commands.
import { wrap } from '../terminal/text.js'
import { exitHelp, exitHelpOf } from './exit-codes.js'
import { type Command, commandNames, type Option, shared, tableOf } from './options-table.js'

/** What a command takes. */
export function helpOf(command: Command): string {
  const { does, examples } = tableOf(command)
  return textOf([
    [`routecontrollers ${command}`, does],
    usageOf(command),
    entryHelp,
    ownOptions(command),
    sharedOptions(command),
    exitHelpOf(command),
    linesOf(examples),
  ])
}

/** What each command does, and what all of them take. */
export function helpText(): string {
  return textOf([
    ['routecontrollers: what guards each route of an Express app, and what a change has done to it'],
    commandNames.map((command) => `  ${command.padEnd(8)} ${tableOf(command).does}`),
    [
      'routecontrollers COMMAND --help says what a command takes, with examples. To begin:',
      ...linesOf(['doctor server.js', 'inspect server.js', 'inspect server.js --lock', 'check server.js']),
    ],
    entryHelp,
    ['all commands', ...optionLines(shared)],
    exitHelp(),
  ])
}

const textOf = (parts: readonly (readonly string[])[]): string =>
  parts.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n')

const usageOf = (command: Command): string[] =>
  tableOf(command).usage.map((one) => `  routecontrollers ${command} ${one}`)

const linesOf = (examples: readonly string[]): string[] =>
  examples.map((one) => `  npx routecontrollers ${one}`)

/** What a command alone takes, and what it takes in another way than the others. */
function ownOptions(command: Command): string[] {
  const { about, options } = tableOf(command)
  const own = Object.entries(options).filter(([name, one]) => !isShared(name, one))
  return [...(about === undefined ? [] : wrap(about, indent)), ...optionLines(Object.fromEntries(own))]
}

function sharedOptions(command: Command): string[] {
  const all = Object.entries(tableOf(command).options).filter(([name, one]) => isShared(name, one))
  return optionLines(Object.fromEntries(all))
}

const isShared = (name: string, option: Option): boolean =>
  (shared as Readonly<Record<string, Option>>)[name] === option

const indent = 22

/** Each option with what it does, from a column on; a long one stands on a line of its own. */
function optionLines(options: Readonly<Record<string, Option>>): string[] {
  return Object.entries(options).flatMap(([name, option]) => {
    const { short, value, multiple, help, default: usual } = option
    const head = `  ${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`
    const said = [
      help,
      ...(usual === undefined ? [] : [`${usual} unless given`]),
      ...(multiple === true ? ['may be given more than once'] : []),
    ]
    const lines = wrap(said.join('; '), indent)
    if (head.length + 1 > indent) return [head, ...lines]
    const [first, ...rest] = lines as [string, ...string[]]
    return [head + first.slice(head.length), ...rest]
  })
}

const entryHelp = wrap(
  'ENTRY is the file that you start the app with: server.js, dist/main.js, src/app.ts. It runs in a process of its own until it listens. No port is opened, no request is made and no handler is called, but by parity, prove and replay. Its other effects do happen: it connects to databases, starts timers, sends what it sends when it starts.',
  0,
)
