import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Inventory } from '@routecontrollers/cli'
import { lockVersion } from '../../packages/cli/src/check/lock.js'
import { createMoveProject } from './move/move-project.js'
import { apps, type Command, createCommand } from './run-command.js'
import { itSlow, slowRows } from '../support/counts.js'

// Each run starts a process or two, and waits until nothing more is registered.
jest.setTimeout(300_000)

let command: Command
let folder: string
beforeAll(() => {
  command = createCommand({ ownProcesses: true })
  folder = mkdtempSync(join(tmpdir(), 'inspect-'))
})
afterAll(() => {
  command.remove()
  rmSync(folder, { recursive: true })
})

const packageFile = join(__dirname, '../../package.json')
const inspect = (entry: string, ...more: string[]) =>
  command.run('inspect', entry, '--cwd', apps, '--settle-ms', '200', ...more)
const inventoryOf = async (entry: string, ...more: string[]): Promise<Inventory> => {
  const { stdout, stderr, code } = await inspect(entry, '--json', ...more)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Inventory
}
const chainsOf = ({ routes }: Inventory) =>
  routes.map(({ method, path, own, passes }) => [
    `${method} ${path} ${own.by} ${own.at}`,
    ...passes.map(({ kind, name, at, argument }) => [kind, name, at, argument].filter(Boolean).join(' ')),
  ])

describe('routecontrollers inspect', () => {
  it('tells where an entry in TypeScript registers what it imports, when it is compiled for the first time', async () => {
    const project = createMoveProject()
    try {
      // No function of the entry is left when it is looked at. tsx keeps what it has compiled, by its text.
      const handlers = `export const show = (req: unknown, res: { send(text: string): void }): void => res.send('a')\n// ${Math.random()}\n`
      writeFileSync(join(project.folder, 'handlers.ts'), handlers)
      writeFileSync(
        join(project.folder, 'server.ts'),
        `import express from 'express'
import { show } from './handlers'
interface Tea {
  name: string
}

const app = express()
app.get('/a', show)
app.get('/b', show)
app.listen(3000)
// ${Math.random()}
`,
      )
      const { stdout } = await command.run(
        ...['inspect', 'server.ts', '--json', '--cwd', project.folder, '--settle-ms', '200'],
      )
      const { routes } = JSON.parse(stdout) as Inventory
      expect(routes.map(({ path, own }) => [path, own.at])).toEqual([
        ['/a', 'server.ts:8'],
        ['/b', 'server.ts:9'],
      ])
    } finally {
      project.remove()
    }
  })

  it('tells each route of an app that exports nothing, with all that guards it, and where', async () => {
    const { code, stdout, stderr } = await inspect(
      'legacy.cjs',
      '--env',
      'GREETING=hello',
      '--',
      '--config',
      'a',
    )
    expect(stderr).toBe('app | arguments --config a, hello\napp | on port 3000\n')
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
     "Express 4 app, 6 routes, trust proxy 1

     Requests of each route pass, first:
       middleware  jsonParser  express.json({ limit: '1mb' })  legacy.cjs:10

     GET     /secret/:name                           Express  getSecret  legacy.cjs:15
       middleware  validateSession at /secret          legacy.cjs:11
       param       name: loadSecret at /secret         legacy.cjs:12
       handler     requireRole('admin') at /secret     legacy.cjs:15
       error       onError                             legacy.cjs:27
       mergeParams

     GET     /admin/users                            Express  <anonymous>  legacy.cjs:20
       middleware  bound validateSession at /admin  validateSession.bind(null)  legacy.cjs:19
       error       onError                             legacy.cjs:27

     GET     /health                                 Express  <anonymous>  legacy.cjs:22
       error       onError                             legacy.cjs:27

     GET     /health                                 Express  <anonymous>  legacy.cjs:23
       error       onError                             legacy.cjs:27

     *       /any/*                                  Express  <anonymous>  legacy.cjs:24
       error       onError                             legacy.cjs:27

     GET     /late                                   Express  <anonymous>  legacy.cjs:26
       error       onError                             legacy.cjs:27

     3 findings

     duplicate    GET /health  legacy.cjs:23
                  is registered already: Express legacy.cjs:22
                  try GET /health
     unreachable  GET /late  legacy.cjs:26
                  is answered before by <anonymous>, legacy.cjs:25, which never calls next()
                  try GET /late
     interceptor  * /any/*  legacy.cjs:24
                  may call next(), and leave its request to what stands behind it
                  try GET /any/x-1
     "
    `)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  it('follows TypeScript, RouteControllers inside and what toControllers has taken over, in front', async () => {
    expect(chainsOf(await inventoryOf('front.ts'))).toMatchInlineSnapshot(`
     [
       [
         "GET /api/users/:id Controller front.ts:15",
         "middleware jsonParser front.ts:14 express.json()",
         "handler <anonymous> front.ts:15 guard('users')",
       ],
       [
         "GET /api/files/*path Controller front.ts:18",
         "middleware jsonParser front.ts:14 express.json()",
       ],
       [
         "GET /legacy{/:option} Controller front.ts:22",
         "middleware jsonParser front.ts:14 express.json()",
       ],
       [
         "GET /own/:id Controller front.ts:26",
         "middleware jsonParser front.ts:14 express.json()",
         "hook <anonymous> front.ts:28 guard('hook')",
         "handler <anonymous> front.ts:27 guard('own')",
       ],
     ]
    `)
  })

  it('waits for what is registered later, finds an app behind a function, and a witness for lists and regular expressions', async () => {
    const inventory = await inventoryOf('module.mjs')
    expect(chainsOf(inventory)).toMatchInlineSnapshot(`
     [
       [
         "GET /v1/a Express module.mjs:6",
         "middleware <anonymous> module.mjs:5",
       ],
       [
         "GET /v1/b Express module.mjs:6",
         "middleware <anonymous> module.mjs:5",
       ],
       [
         "GET /^\\/v1\\/c(\\d+)$/ Express module.mjs:7",
         "middleware <anonymous> module.mjs:5",
       ],
       [
         "GET /v1/later Express module.mjs:8",
         "middleware <anonymous> module.mjs:5",
       ],
     ]
    `)
    expect(inventory.routes.map(({ witness }) => witness)).toEqual(['/v1/a', '/v1/b', '/v1/c1', '/v1/later'])
  })

  it('counts no time in which the app is busy as one in which nothing was registered', async () => {
    const { routes } = await inventoryOf('busy.cjs', '--settle-ms', '300')
    expect(routes.map(({ path }) => path)).toEqual(['/first', '/late'])
  })

  itSlow.each(['forks.cjs', 'cluster.cjs'])(
    'looks into the processes that an entry starts: %s',
    async (entry) => {
      expect((await inventoryOf(entry)).routes).toHaveLength(6)
    },
  )

  itSlow(
    'tells apart apps that are mounted before all else, also when somebody puts something before them',
    async () => {
      expect(chainsOf(await inventoryOf('mounts.cjs'))).toEqual([
        ['GET /admin/a Express mounts.cjs:7', 'middleware first mounts.cjs:11'],
        ['GET /node/b Express mounts.cjs:8', 'middleware first mounts.cjs:11'],
      ])
    },
  )

  itSlow('writes JSON without absolute paths', async () => {
    const { stdout } = await inspect('legacy.cjs', '--json')
    expect(stdout).not.toContain(apps)
    expect(Object.keys(JSON.parse(stdout) as Inventory)).toEqual([
      'version',
      'apps',
      'routes',
      'findings',
      'notes',
    ])
  })

  itSlow('writes a lock without absolute paths, the same each time', async () => {
    const file = join(folder, 'routes.lock.json')
    expect((await inspect('legacy.cjs', '--lock', file)).stdout).toBe('')
    const first = readFileSync(file, 'utf8')
    expect(first).not.toContain(apps)
    await inspect('legacy.cjs', '--lock', file)
    expect(readFileSync(file, 'utf8')).toBe(first)
    const { version, routes } = JSON.parse(first) as { version: number; routes: { path: string }[] }
    expect([version, routes.map(({ path }) => path)]).toEqual([
      lockVersion,
      ['/admin/users', '/any/*', '/health', '/health', '/late', '/secret/:name'],
    ])
  })

  it('shows what was registered before an entry failed, and its own error', async () => {
    const { code, stdout, stderr } = await inspect('crashes.cjs')
    expect(code).toBe(3)
    expect(stdout).toContain('GET     /first')
    expect(stderr).toContain('Error: The database is not there')
    expect(stderr).toContain(
      'routecontrollers: crashes.cjs has failed, with the exit code 1; this is what it had',
    )
  })

  it.each(
    slowRows<[entry: string, code: number, sentence: string, limitMs: number]>(3, [
      ['exits.cjs', 0, 'exits.cjs has not called listen', 120_000],
      ['hangs.cjs', 3, 'hangs.cjs was busy with its own code for all of 300 ms', 300],
      ['nothing.cjs', 3, 'nothing.cjs listens, but with no app of Express and no RouteControllers', 120_000],
      // It is to have registered its route by then, on a busy machine too.
      [
        'waits.cjs',
        3,
        'waits.cjs has not called listen within 10000 ms; this is what it had registered until then.',
        10_000,
      ],
    ]),
  )('says what it could do with %s', async (entry, code, sentence, limitMs) => {
    const ran = await inspect(entry, '--time-limit-ms', String(limitMs))
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(sentence)])
    expect(ran.stdout.includes('/first')).toBe(/^(?:exits|waits)/.test(entry))
  })
})

itSlow(
  'The time limit of an entry begins when Node runs it, however long the machine takes until then',
  async () => {
    const slow = join(folder, 'slow-start.cjs')
    writeFileSync(slow, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000)')
    const limits = ['--time-limit-ms', '500', '--env', `NODE_OPTIONS=--require ${slow}`]
    const ran = await inspect('waits.cjs', ...limits)
    expect([ran.code, ran.stderr]).toEqual([
      3,
      expect.stringContaining('has not called listen within 500 ms'),
    ])
    expect(ran.stdout).toContain('/first')
  },
)

describe('routecontrollers inspect --lock', () => {
  it.each([
    [
      'crashes.cjs',
      120_000,
      ['has failed, with the exit code 1', '--env NAME=value gives it a variable, --cwd FOLDER a folder.'],
    ],
    // It is to have registered its route by then, on a busy machine too.
    ['waits.cjs', 3000, ['has not called listen within 3000 ms']],
  ])('is not written of an app that has not come up: %s', async (entry, limitMs, sentences) => {
    const file = join(folder, 'failed.lock.json')
    const { code, stdout, stderr } = await inspect(entry, '--time-limit-ms', String(limitMs), '--lock', file)
    expect([code, existsSync(file)]).toEqual([3, false])
    for (const sentence of sentences) expect(stderr).toContain(sentence)
    expect(stderr).toContain('failed.lock.json is not written: the app may have more routes.')
    expect(stdout).toContain('GET     /first')
  })
})

describe('An entry that listens', () => {
  const write = (name: string, text: string): string => {
    const file = join(folder, name)
    const express = JSON.stringify(createRequire(packageFile).resolve('express'))
    writeFileSync(
      file,
      `const app = require(${express})()
      app.get('/first', (req, res) => res.end())
      ${text}`,
    )
    return file
  }

  it('is told from the command, whatever pieces it writes', async () => {
    const entry = write(
      'talks.cjs',
      `const { stdout } = process
      const tea = Buffer.from('té\\n\\nmore')
      stdout.write(tea.subarray(0, 2))
      setTimeout(() => stdout.write(tea.subarray(2)), 50)
      setTimeout(() => { stdout.write(' tea\\n'); app.listen(0) }, 100)`,
    )
    expect((await inspect(entry)).stderr).toBe('app | té\napp | \napp | more tea\n')
  })

  it('has failed where it then crashes, also while it still ends', async () => {
    const lock = join(folder, 'crashed.lock.json')
    const entry = write(
      'listens-and-crashes.cjs',
      `app.listen(0)
      // So the report is there long before its process has ended.
      process.on('exit', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500))
      setTimeout(() => { throw new Error('The database is not there') }, 50)`,
    )
    const { code, stderr } = await inspect(entry, '--lock', lock)
    expect([code, existsSync(lock)]).toEqual([3, false])
    expect(stderr).toContain('has failed, with the exit code 1')
  })

  itSlow('has failed where a process of its own that listens crashes', async () => {
    const entry = write(
      'forks-and-crashes.cjs',
      `if (process.argv[2] !== 'child') require('node:child_process').fork(__filename, ['child'])
      else app.listen(0, () => { throw new Error('The database is not there') })`,
    )
    expect((await inspect(entry)).code).toBe(3)
  })

  itSlow('is the one that serves, where one that has ended had more routes', async () => {
    const entry = write(
      'serves-then.cjs',
      `if (process.argv[2] === 'child') app.get('/second', (req, res) => res.end())
      else require('node:child_process').fork(__filename, ['child']).on('exit', () => app.listen(0))`,
    )
    const { code, stdout } = await inspect(entry)
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 route')])
  })

  itSlow('has failed with its own exit code, where a process that it has started ended well', async () => {
    const entry = write(
      'fails-then.cjs',
      `if (process.argv[2] === 'child') app.get('/second', (req, res) => res.end())
      else require('node:child_process').fork(__filename, ['child']).on('exit', () => process.exit(7))`,
    )
    const { code, stderr } = await inspect(entry)
    expect([code, stderr]).toEqual([3, expect.stringContaining('has failed, with the exit code 7')])
  })

  itSlow('ends with a process that it has detached, which would hold its output for ever', async () => {
    const file = join(folder, 'turns.txt')
    const entry = write(
      'detaches.cjs',
      `if (process.argv[2] !== 'child') {
        require('node:child_process').fork(__filename, ['child'], { detached: true, stdio: 'inherit' })
        app.listen(0)
      } else {
        setInterval(() => require('node:fs').appendFileSync(${JSON.stringify(file)}, 'turn '), 10)
      }`,
    )
    const { code, stdout } = await inspect(entry, '--settle-ms', '2000')
    expect([code, stdout]).toEqual([0, expect.stringContaining('/first')])
    const turns = readFileSync(file, 'utf8')
    await sleep(200)
    expect(readFileSync(file, 'utf8')).toBe(turns)
  })
})

describe('The command line', () => {
  it.each([
    [[], '  inspect  lists each route with all that a request passes before it'],
    [['--help'], 'routecontrollers COMMAND --help'],
    [['inspect', '--help'], '--settle-ms'],
    [['check', '--help'], "npx routecontrollers check server.js --accept 'GET /health'"],
    [['help', 'parity'], 'npx routecontrollers parity server.js --base main'],
  ])('helps: %j', async (parameters, text) => {
    const { code, stdout } = await command.run(...parameters)
    expect([code, stdout]).toEqual([0, expect.stringContaining(text)])
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110)
  })

  it('helps with one command alone', async () => {
    const { stdout } = await command.run('check', '-h')
    expect(stdout).toMatch(/^routecontrollers check\ncompares the app with the lock/)
    expect(stdout).not.toMatch(/--unsafe|--except|npx routecontrollers (?:inspect|parity)/)
  })

  it('takes the options of a command that its help names, and no others', async () => {
    const namesOf = (help: string): string[] =>
      [...help.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, name]) => name!)
    const [, listed] = (await command.run('--help')).stdout.split('\n\n')
    const names = [...listed!.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name!)
    expect(names).toEqual(expect.arrayContaining(['doctor', 'parity', 'brief', 'status']))
    const helps = new Map<string, string[]>()
    for (const name of names) helps.set(name, namesOf((await command.run(name, '--help')).stdout))
    const all = [...helps.values()].flat()
    expect(all).toContain('answer-limit-ms')
    for (const [name, own] of helps) {
      expect(own).toEqual(expect.arrayContaining(['cwd', 'json', 'help']))
      for (const option of new Set(all)) {
        const { stderr } = await command.run(name, `--${option}`, '--help')
        expect([name, option, stderr.includes('has no option')]).toEqual([
          name,
          option,
          !own.includes(option),
        ])
      }
    }
  })

  it.each([[['--version']], [['-v']], [['check', '--version']]])(
    'says its version: %j',
    async (parameters) => {
      expect(await command.run(...parameters)).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
    },
  )

  itSlow('refuses a link that leads to itself, and a device', async () => {
    const loop = join(folder, 'loop.js')
    symlinkSync(loop, loop)
    const ofLink = `${loop} cannot be opened: it is a link that leads to itself`
    for (const [parameters, sentence] of [
      [['inspect', loop], ofLink],
      [['inspect', 'legacy.cjs', '--cwd', apps, '--lock', loop], ofLink],
      [
        ['check', 'legacy.cjs', '--cwd', apps, '--lock', loop],
        'loop.js cannot be opened (ELOOP): name the file',
      ],
      [
        ['inspect', 'legacy.cjs', '--cwd', apps, '--settle-ms', '30', '--lock', '/dev/zero'],
        '/dev/zero is no file',
      ],
      [['check', 'legacy.cjs', '--cwd', apps, '--lock', '/dev/zero'], '/dev/zero is no file'],
      [['replay', '/dev/zero', '--against', 'http://127.0.0.1:1'], 'There is no file /dev/zero'],
      [['replay', loop, '--against', 'http://127.0.0.1:1'], `There is no file ${loop}`],
    ] as const) {
      const { code, stderr } = await command.run(...parameters)
      expect([parameters[0], code, stderr]).toEqual([parameters[0], 2, expect.stringContaining(sentence)])
    }
  })

  it('refuses a lock that is longer than any app needs, before it is read', async () => {
    const file = join(folder, 'long.lock.json')
    writeFileSync(file, '')
    // A file with a hole: it takes no room.
    truncateSync(file, 8 * 2 ** 30)
    const { code, stderr } = await command.run('check', 'legacy.cjs', '--cwd', apps, '--lock', file)
    expect([code, stderr]).toEqual([2, expect.stringContaining('is longer than 67108864 bytes')])
  })

  it('says that the version of Express is not known', async () => {
    const entry = join(folder, 'of-express-6.cjs')
    const express = JSON.stringify(createRequire(packageFile).resolve('express'))
    writeFileSync(
      entry,
      `const app = require(${express})()
      Object.defineProperty(app, 'router', { value: undefined })
      require('node:http').createServer(app).listen(0)`,
    )
    const { code, stdout, stderr } = await inspect(entry)
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toMatch(/ERR_EXPRESS_VERSION: this app is of no version .* install express@5,/)
  })

  it.each([
    [
      ['inspekt', 'a.js'],
      'There is no command "inspekt", did you mean inspect? routecontrollers --help names all',
    ],
    [['tea', 'a.js'], 'There is no command "tea": routecontrollers --help'],
    [
      ['inspect', '--cwd', apps],
      'inspect needs the entry of the app, and npm start runs no file that is there: routecontrollers inspect server.js',
    ],
    [['inspect', 'legcy.cjs', '--cwd', apps], 'There is no file legcy.cjs in'],
    [['inspect', 'legcy.cjs', '--cwd', apps], 'did you mean legacy.cjs?'],
    [['inspect', 'a.js', 'b.js'], 'arguments of the entry stand after --'],
    [
      ['inspect', 'a.js', '--jsn'],
      'inspect has no option --jsn, did you mean --json? routecontrollers inspect --help names all',
    ],
    [['inspect', 'a.js', '--accept', 'GET /'], 'inspect has no option --accept'],
    [['inspect', 'a.js', '--json=1'], '--json takes no value'],
    [['inspect', 'a.js', '--html', '--json'], '--html takes a value: --html FILE'],
    [['inspect', 'a.js', '--html'], '--html takes a value: --html FILE; routecontrollers inspect --help'],
    [['inspect', '.', '--cwd', apps], '. is a folder: name the file in it that you start the app with'],
    [['move', '.', '--cwd', apps, '--entry', 'legacy.cjs'], '. is a folder: name the files in it'],
    ...(['inspect --lock', 'inspect --html', 'parity --html', 'parity --resume'] as const).flatMap((one) => {
      const [name, option] = one.split(' ') as [string, string]
      return [
        [
          [name, 'legacy.cjs', '--cwd', apps, option, 'nowhere/file'],
          `${option}: there is no folder ${join(apps, 'nowhere')}; make it, or name another file`,
        ],
        [[name, 'legacy.cjs', '--cwd', apps, option, '..'], `${option} takes a file, and .. is a folder`],
      ] as [string[], string][]
    }),
    [['inspect', 'legacy.cjs', '--cwd', apps, '--env', 'A'], '--env takes NAME=value, not "A"'],
    [
      ['inspect', 'legacy.cjs', '--cwd', apps, '--settle-ms', '1s'],
      '--settle-ms is a whole number of milliseconds, not "1s"',
    ],
    [['inspect', 'a.js', '--cwd', '/qome'], '--cwd: there is no folder /qome\n'],
    [['inspect', 'a.js', '--cwd', join(apps, 'paryt')], `did you mean ${join(apps, 'parity')}?`],
    [['check', 'legacy.cjs', '--cwd', apps, '--lock', packageFile], `is no lock of routecontrollers: `],
    [['check', 'legacy.cjs', '--cwd', apps], 'There is no routes.lock.json in'],
    [['check', 'legacy.cjs', '--cwd', apps, '--accept', 'GET /'], '--because "the reason" stand together'],
    [
      ['check', 'legacy.cjs', '--cwd', apps, '--accept', 'GET /', '--because', ' '],
      '--because "the reason" stand together',
    ],
    [['inspect', 'legacy.cjs', '--cwd', apps, '--once'], '--except and --once go with --lock'],
    [['check', 'legacy.cjs', '--cwd', apps, '--because', 'a test'], '--because "the reason" stand together'],
  ])('refuses %j', async (parameters, sentence) => {
    const { code, stdout, stderr } = await command.run(...parameters)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)])
  })
})
