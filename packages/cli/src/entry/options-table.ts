// The one table of commands: what each takes, and what `--help` says of that.

/** An option, as parseArgs takes it, with what is said of it. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  readonly short?: string
  /** What counts where it is not given. */
  readonly default?: string
  /** What counts where it is given without a value. */
  readonly bare?: string
  /** What stands for its value in the help. */
  readonly value?: string
  readonly help: string
}

interface CommandHelp {
  readonly does: string
  /** What stands behind the name of the command, one line for each way to call it. */
  readonly usage: readonly string[]
  readonly about?: string
  readonly options: Readonly<Record<string, Option>>
  readonly examples: readonly string[]
}

/** What all commands take. */
export const shared = {
  cwd: { type: 'string', value: 'FOLDER', help: 'runs the entry there; shown paths are relative to it' },
  env: { type: 'string', multiple: true, value: 'NAME=value', help: "a variable of the entry's environment" },
  'time-limit-ms': {
    type: 'string',
    default: '30000',
    value: 'N',
    help: 'how long the entry may take until it has called listen',
  },
  'settle-ms': {
    type: 'string',
    default: '500',
    value: 'N',
    help: 'for how long nothing must be registered after listen',
  },
  help: { type: 'boolean', short: 'h', help: 'says what a command takes' },
  version: { type: 'boolean', short: 'v', help: 'says the version' },
} satisfies Record<string, Option>

const json: Option = { type: 'boolean', help: 'as JSON, for programs' }
const html: Option = { type: 'string', value: 'FILE', help: 'as one page, to look at' }
const reporter: Option = {
  type: 'string',
  multiple: true,
  value: 'NAME[=FILE]',
  help: 'as text, json, html, markdown (a summary for a pull request), github (annotations) or sarif; printed, or written to FILE',
}
const entry: Option = {
  type: 'string',
  value: 'ENTRY',
  help: 'the file that you start the app with; what npm start runs unless given',
}
const entryAlone: Option = {
  ...entry,
  help: 'the entry, as ENTRY alone; what npm start runs unless given',
}
const unsafe: Option = {
  type: 'boolean',
  help: 'also makes requests that write: POST, PUT, PATCH, DELETE. The data may be spoilt.',
}
const runLimit: Option = {
  ...shared['time-limit-ms'],
  default: '600000',
  help: 'how long all of it may take: what is known then is told',
}
export const answerLimit = {
  type: 'string',
  default: '3000',
  value: 'N',
  help: 'how long an answer may take',
} satisfies Option

const ignore: Option = {
  type: 'string',
  multiple: true,
  value: 'FIELD',
  help: "leaves a field or a header out from now on, 'GET /users $.updatedAt': written to routes.parity.json, which you commit",
}

/** What the commands take that run two sides. */
const sides = {
  base: {
    type: 'string',
    value: 'REVISION',
    help: 'the app as it was: a revision of git, with the installed packages',
  },
  carry: {
    type: 'string',
    multiple: true,
    value: 'FILE',
    help: 'with --base: a file or folder that git ignores and the app needs, as settings.json. It never has the entry: --run builds that',
  },
  run: {
    type: 'string',
    multiple: true,
    value: 'COMMAND',
    help: "with --base: a command that makes there what git ignores, 'npm run build'",
  },
  install: {
    type: 'boolean',
    help: 'with --base, where its lockfile is another one: installs its packages',
  },
  data: {
    type: 'string',
    value: 'FOLDER',
    help: 'gives each side a copy of this folder, and of the project around it',
  },
  'data-env': {
    type: 'string',
    value: 'NAME',
    help: 'the variable that tells the entry where its copy is; then the project is not copied',
  },
  'legacy-env': {
    type: 'string',
    multiple: true,
    value: 'NAME=value',
    help: 'as --env, for the app as it was alone: a database of its own',
  },
  header: {
    type: 'string',
    multiple: true,
    value: 'HEADER',
    help: "'name: value', which a guard reads: requests are made with and without it",
  },
  unsafe,
  'answer-limit-ms': answerLimit,
} satisfies Record<string, Option>

/** What the commands take that name routes. */
const routes: Option = {
  type: 'string',
  multiple: true,
  value: 'ROUTE',
  help: "takes these: 'GET /account/**'; the same as without the name of the option",
}
const recording: Option = {
  type: 'string',
  value: 'FILE',
  help: 'recorded requests, as recorder() or a browser (HAR) has written them',
}

/** What the commands take that edit files. */
const edits = {
  write: {
    type: 'boolean',
    help: 'writes the files, and compares the app with what it was. Restores them where a guard is lost or the app does not start',
  },
  run: {
    type: 'string',
    multiple: true,
    value: 'COMMAND',
    help: "after writing, before the app is compared: 'npm run build', 'npm test'. What fails leaves the files that it names, or all of them, as they were",
  },
  force: {
    type: 'boolean',
    help: 'writes also where git has changes that are not committed, or where there is no git',
  },
  lock: {
    type: 'string',
    value: 'FILE',
    help: 'the lock that is compared too; routes.lock.json unless given, where there is one',
  },
} satisfies Record<string, Option>

const behindEntry = '[options] [-- arguments of the entry]'

const commands = {
  doctor: {
    does: 'says what stands in the way of a migration, before you begin, and what helps',
    usage: [`[ENTRY] ${behindEntry}`],
    options: {
      entry: entryAlone,
      reporter,
      json,
      html,
      ...shared,
    },
    examples: ['doctor', 'doctor server.js', 'doctor --json -- --config local.json'],
  },
  inspect: {
    does: 'lists each route with all that a request passes before it, in order',
    usage: [`[ENTRY] ${behindEntry}`],
    options: {
      entry: entryAlone,
      json,
      html,
      lock: {
        type: 'string',
        value: 'FILE',
        bare: 'routes.lock.json',
        help: 'writes the lock that check compares with; routes.lock.json unless named. The entry starts twice for it, so that paths that differ with each start are known',
      },
      except: {
        type: 'string',
        multiple: true,
        value: 'PATTERN',
        help: "with --lock: routes that the lock leaves out, 'GET /account/**'",
      },
      once: {
        type: 'boolean',
        help: 'with --lock: starts the entry once, and looks for no such paths',
      },
      ...shared,
    },
    examples: [
      'inspect',
      'inspect src/app.ts --env NODE_ENV=test -- --config local.json',
      'inspect server.js --html routes.html',
      'inspect server.js --lock routes.lock.json',
    ],
  },
  check: {
    does: 'compares the app with the lock: which route has lost a guard, and what else has changed',
    usage: [`[ENTRY] ${behindEntry}`],
    options: {
      entry: entryAlone,
      reporter,
      json,
      html,
      lock: { type: 'string', value: 'FILE', help: 'the lock; routes.lock.json unless given' },
      accept: {
        type: 'string',
        multiple: true,
        value: 'ROUTE',
        help: "takes what has changed for right, 'GET /path' or '/account/**', and writes that into the lock",
      },
      because: { type: 'string', value: 'REASON', help: 'why; with --accept' },
      ...shared,
    },
    examples: [
      'check server.js',
      'check dist/main.js --lock config/routes.lock.json --json',
      'check server.js --reporter github --reporter sarif=routes.sarif',
      "check server.js --accept 'GET /health' --because 'needs no session'",
    ],
  },
  parity: {
    does: 'makes the same requests of the app as it was and as it is, and compares the answers',
    usage: [`[ENTRY] ${behindEntry}`, 'URL URL [options]'],
    about:
      'The app as it was: the same code with its Controllers switched off, --base, or the first URL. Each side runs in a process of its own, on a free port of this machine. Two URLs serve already; their routes are those of the lock.',
    options: {
      entry: entryAlone,
      ...sides,
      resume: {
        type: 'string',
        value: 'FILE',
        help: 'writes down what was compared, and goes on there the next time',
      },
      ignore,
      lock: {
        type: 'string',
        value: 'FILE',
        help: 'samples of requests, routes.lock.json unless given; not needed',
      },
      reporter,
      json,
      html,
      ...shared,
      'time-limit-ms': runLimit,
    },
    examples: [
      "parity server.js --header 'authorization: Bearer token'",
      'parity server.js --base main --data data --unsafe',
      "parity --base main --run 'npm run build'",
      'parity http://127.0.0.1:3000 http://127.0.0.1:3001',
    ],
  },
  move: {
    does: 'writes native callbacks into routes of Express, before the handlers that they replace',
    usage: [`[ROUTES] [FILES] ${behindEntry}`],
    about:
      'Shows what it would write, and what it leaves with the reason. Without routes and files it takes all routes. A native callback is written where it surely answers as the handler does; the handler stays.',
    options: {
      entry,
      routes: {
        type: 'string',
        multiple: true,
        value: 'ROUTE',
        help: "takes these alone: 'GET /account/**', or '/account/**' for all methods; the same as without the name of the option",
      },
      'as-is': {
        type: 'boolean',
        help: 'writes native(fromExpress(handler)) before a handler that no native callback is made of, for you to rewrite',
      },
      'in-place': {
        type: 'boolean',
        help: 'writes Controllers in the place of routes, which run their handlers as they are; no state switches them',
      },
      native: {
        type: 'boolean',
        help: 'makes native callbacks of what --as-is or --in-place has written; with --in-place, at once',
      },
      ...edits,
      json,
      ...shared,
    },
    examples: [
      "move 'GET /account/**'",
      'move src/routes/users.js --entry server.js --write',
      'move --as-is --write',
      "move --native 'GET /teas' --write",
      "move --in-place --entry dist/server.js --write --run 'npm run build'",
    ],
  },
  retire: {
    does: 'deletes the handlers that native callbacks have replaced, and what only they have used',
    usage: [`ROUTES [FILES] ${behindEntry}`, `--native-in FILE ${behindEntry}`],
    about:
      'Shows what it would delete, and what it leaves with the reason. Functions and imports go where nothing in their file uses them any more.',
    options: {
      entry,
      routes: {
        type: 'string',
        multiple: true,
        value: 'ROUTE',
        help: "takes these: 'GET /account/**'; the same as without the name of the option",
      },
      'native-in': {
        type: 'string',
        value: 'FILE',
        help: 'takes those routes alone whose state is native in the file of fileStore({ file }), or in status.json of the page',
      },
      ...edits,
      json,
      ...shared,
    },
    examples: ["retire 'GET /account/**'", 'retire --native-in migration.json --write'],
  },
  lift: {
    does: 'makes of a router whose routes are all native a list of Controllers, at the mount of the router',
    usage: [`[FILES] ${behindEntry}`],
    about:
      'Shows what it would write, and what it leaves with the reason; then what still needs the package express. Without files it takes all routers. Guards stay where they are.',
    options: { entry, ...edits, json, ...shared },
    examples: ['lift src/routes/orders.js', 'lift src/routes/orders.js --entry server.js --write'],
  },
  brief: {
    does: 'has on one page what a person or a coding agent needs to write the native callback of a route',
    usage: [`ROUTE [ENTRY] ${behindEntry}`],
    about:
      'The handler and all that a request passes before it, with their sources. What they read and leave, why move has left it, what to write, and which commands prove it. The page has 8000 tokens at most, and says what it leaves out.',
    options: { entry, routes, recording, json, ...shared },
    examples: [
      "brief 'GET /orders/:id'",
      "brief 'GET /orders/:id' server.js --recording traffic.jsonl --json",
    ],
  },
  prove: {
    does: 'proves routes by check, parity and replay at once, and says one verdict',
    usage: [`ROUTES [ENTRY] ${behindEntry}`],
    about:
      'The code as it is runs with its native callbacks and Controllers, and without them, where --base names no revision. What cannot be proved is named, with what helps.',
    options: {
      entry,
      routes,
      recording,
      request: {
        type: 'string',
        multiple: true,
        value: 'REQUEST',
        help: "makes this one too: 'GET /orders/7', 'POST /orders {\"tea\":1}'",
      },
      watch: {
        type: 'boolean',
        help: 'proves again after each change of the code, and keeps the app running meanwhile; Ctrl+C ends it',
      },
      ...sides,
      lock: {
        type: 'string',
        value: 'FILE',
        help: 'what guarded the routes, and samples of requests; routes.lock.json unless given',
      },
      ignore,
      reporter,
      json,
      html,
      ...shared,
      'time-limit-ms': runLimit,
    },
    examples: [
      "prove 'GET /orders/:id' --request 'GET /orders/7'",
      "prove 'GET /orders/**' --recording traffic.jsonl --header 'authorization: Bearer token'",
      "prove 'POST /orders' --unsafe --data data --base main",
      "prove 'GET /orders/**' --reporter text --reporter markdown=proof.md",
    ],
  },
  replay: {
    does: 'makes the requests of a recording again, and compares the answers',
    usage: [`RECORDING [--entry ENTRY] ${behindEntry}`, 'RECORDING --against URL [--and URL] [options]'],
    options: {
      entry,
      against: {
        type: 'string',
        value: 'WHAT',
        help: 'the URL of a server that runs already; or the entry, as --entry',
      },
      and: {
        type: 'string',
        value: 'URL',
        help: 'the server whose answers are the right ones; without it, those of the recording',
      },
      rate: {
        type: 'string',
        value: 'N',
        help: 'requests a second, those of one session one after the other; without it, all are in order',
      },
      header: {
        type: 'string',
        multiple: true,
        value: 'HEADER',
        help: "'name: value', sent with each request; a secret, as authorization, with those that were recorded with one",
      },
      unsafe,
      'answer-limit-ms': answerLimit,
      reporter,
      json,
      html,
      ...shared,
      'time-limit-ms': runLimit,
    },
    examples: [
      'replay traffic.jsonl',
      'replay traffic.jsonl --entry server.js',
      'replay traffic.jsonl --against http://127.0.0.1:3001 --and http://127.0.0.1:3000',
    ],
  },
  status: {
    does: 'says how far each route has moved, and which command comes next',
    usage: [`[ENTRY] ${behindEntry}`],
    options: {
      entry: entryAlone,
      states: {
        type: 'string',
        value: 'FILE',
        help: 'the file of fileStore({ file }), or status.json of the page, with the states of routes; without it they are not known',
      },
      json,
      ...shared,
    },
    examples: ['status server.js', 'status server.js --states migration.json --json'],
  },
} satisfies Record<string, CommandHelp>

export type Command = keyof typeof commands

export const commandNames = Object.keys(commands) as Command[]

/** The same for all commands: to a program each has the options that it has. */
export const tableOf = (command: Command): CommandHelp => commands[command]
