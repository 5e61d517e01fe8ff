// What a command line asks for: it is read in this process, and nothing is run.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandOptions, readCommandLine, UsageError } from '../../packages/cli/src/entry/options.js'
import { type Command, commandNames, tableOf } from '../../packages/cli/src/entry/options-table.js'

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'rc-line-'))
const at = (...names: string[]): string => join(folder, ...names)
const start = 'MODE=prod PORT=$PORT node --require=./pre.js server.js one two'
beforeAll(() => {
  mkdirSync(at('lib', 'data'), { recursive: true })
  mkdirSync(at('sub'))
  mkdirSync(at('plain'))
  for (const name of ['server.js', 'other.js', 'a.js', 'b.js', 'traffic.jsonl', 'lib/index.js', '.env'])
    writeFileSync(at(name), '')
  writeFileSync(at('plain', 'app.js'), '')
  for (const name of ['tool', 'tool.js', 'code.ts', 'code.cjs']) writeFileSync(at(name), '')
  symlinkSync(at('server.js'), at('link.js'))
  // A folder of the project that leads to the one with the entry, and one that leads out of it.
  symlinkSync(at('.'), at('around'))
  writeFileSync(at('package.json'), JSON.stringify({ scripts: { start } }))
})
afterAll(() => rmSync(folder, { recursive: true }))

function read(line: readonly string[], cwd = folder): CommandOptions {
  const options = readCommandLine([...line.slice(0, 1), '--cwd', cwd, ...line.slice(1)])
  if ('text' in options) throw new Error('It is told and not run')
  return options
}
function refusal(...line: readonly string[]): string {
  try {
    read(line)
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  throw new Error('It was not refused')
}

describe('The entry', () => {
  it('is what npm start runs, with what that gives it', () => {
    const { entry, foundBy, alsoGiven, leftOut, parameters, nodeOptions, env } = read(['inspect'])
    expect([entry, parameters, nodeOptions, env]).toEqual([
      at('server.js'),
      ['one', 'two'],
      ['--require=./pre.js'],
      { MODE: 'prod' },
    ])
    expect(foundBy).toBe(`npm start runs ${JSON.stringify(start)}, so the entry is server.js`)
    expect(alsoGiven).toBeUndefined()
    expect(leftOut).toContain('and only a shell knows "PORT=$PORT", which is left out: give --env PORT=value')
  })

  it.each([['server.js'], ['server'], ['link.js'], ['./lib/../server.js']])(
    'that is named gets the same from the script, which is told: %s',
    (name) => {
      const { entry, foundBy, alsoGiven, parameters, nodeOptions, env } = read(['inspect', name])
      expect([entry, foundBy]).toEqual([at(name === 'link.js' ? name : 'server.js'), undefined])
      expect([parameters, nodeOptions, env]).toEqual([
        ['one', 'two'],
        ['--require=./pre.js'],
        { MODE: 'prod' },
      ])
      expect(alsoGiven).toContain('so the entry gets MODE and --require and arguments from there')
    },
  )

  it('gets nothing of a script that runs another file', () => {
    const { parameters, env, nodeOptions, alsoGiven, leftOut } = read(['inspect', 'other.js'])
    expect([parameters, env, nodeOptions, alsoGiven, leftOut]).toEqual([[], {}, [], undefined, undefined])
    expect(read(['inspect', 'app.js'], at('plain')).parameters).toEqual([])
  })

  it('gets what is given before what the script says', () => {
    const own = read(['inspect', 'server.js', '--env', 'MODE=test', '--env', 'PORT=1=2', '--', 'x', '--y'])
    expect([own.parameters, own.env]).toEqual([['x', '--y'], { MODE: 'test', PORT: '1=2' }])
    expect(own.leftOut).toBeUndefined()
    expect(own.alsoGiven).toContain('so the entry gets MODE and --require from there')
    expect(read(['inspect', 'server.js', '--']).parameters).toEqual([])
  })

  it('is found as Node finds it, and may be named by --entry', () => {
    expect(read(['inspect', 'lib']).entry).toBe(at('lib', 'index.js'))
    expect(read(['inspect', '--entry', 'other']).entry).toBe(at('other.js'))
    // What is there by its whole name is meant.
    expect(read(['inspect', 'tool']).entry).toBe(at('tool'))
    expect(refusal('inspect', 'othr.js')).toContain('did you mean other.js?')
    expect(refusal('inspect', 'sub')).toBe('sub is a folder: name the file in it that you start the app with')
    expect(refusal('inspect', 'a.js', 'b.js')).toContain('inspect takes one entry, not "b.js" too')
    expect(refusal('inspect', '--entry', 'a.js', 'b.js')).toContain('inspect takes one entry, not "b.js" too')
  })
})

describe('Only once each', () => {
  it('are the options told that take the place of what a script leaves out', () => {
    const scripts = { start: '. ./a; . ./b; A=$A node server.js $B' }
    writeFileSync(at('sub', 'package.json'), JSON.stringify({ scripts }))
    writeFileSync(at('sub', 'server.js'), '')
    const text = (...line: string[]): string | undefined => read(['inspect', ...line], at('sub')).leftOut
    expect(text()).toMatch(/give --env NAME=value and --env A=value and -- ARGUMENTS$/)
    expect(text('--', 'b')).toMatch(/give --env NAME=value and --env A=value$/)
    expect(text('--env', 'A=1')).toMatch(/give --env NAME=value and -- ARGUMENTS$/)
    expect(text('--env', 'A=1', '--', 'b')).toMatch(/give --env NAME=value$/)
  })
})

/** What each command takes, besides what all of them do. */
const taken: Readonly<Record<Command, string>> = {
  doctor: 'entry reporter json html',
  inspect: 'entry json html lock except once',
  check: 'entry reporter json html lock accept because',
  parity:
    'entry base carry run install data data-env legacy-env header unsafe answer-limit-ms resume ignore lock reporter json html',
  move: 'entry routes as-is in-place native write run force lock json',
  retire: 'entry routes native-in write run force lock json',
  lift: 'entry write run force lock json',
  brief: 'entry routes recording json',
  prove:
    'entry routes recording request watch base carry run install data data-env legacy-env header unsafe answer-limit-ms lock ignore reporter json html',
  replay: 'entry against and rate header unsafe answer-limit-ms reporter json html',
  status: 'entry states json',
}
const ofAll = 'cwd env time-limit-ms settle-ms help version'
const several = 'env reporter except accept carry run legacy-env header ignore routes request'.split(' ')
const alone = 'json once install unsafe as-is in-place native write force watch help version'.split(' ')

describe('Each command', () => {
  it.each(commandNames)('takes its options, and each as often and as it is written: %s', (command) => {
    const { options } = tableOf(command)
    const names = Object.keys(options)
    expect(names.sort()).toEqual([...taken[command].split(' '), ...ofAll.split(' ')].sort())
    for (const [name, { multiple = false, type }] of Object.entries(options))
      expect([name, multiple, type]).toEqual([
        name,
        several.includes(name),
        alone.includes(name) ? 'boolean' : 'string',
      ])
  })

  it.each(commandNames)('has its limits of time, which can be given: %s', (command) => {
    const rest = { replay: ['traffic.jsonl'], brief: ['/a'], prove: ['/a'], retire: ['/a'] } as Partial<
      Record<Command, string[]>
    >
    const limitsOf = (...more: string[]): number[] => {
      const { timeLimitMs, settleMs, parity } = read([command, ...(rest[command] ?? []), ...more])
      return [timeLimitMs, settleMs, parity.answerLimitMs]
    }
    const isLong = ['parity', 'prove', 'replay'].includes(command)
    expect(limitsOf()).toEqual([isLong ? 600_000 : 30_000, 500, 3_000])
    const given = ['--time-limit-ms', '1', '--settle-ms', '0', ...(isLong ? ['--answer-limit-ms', '2'] : [])]
    expect(limitsOf(...given)).toEqual([1, 0, isLong ? 2 : 3_000])
    // A timer of Node takes no longer time.
    expect(limitsOf('--time-limit-ms', '9999999999')[0]).toBe(2 ** 31 - 1)
  })

  it.each<[string[], string]>([
    [['check'], 'check server.js'],
    [['move', 'GET /a'], "move 'GET /a' --entry server.js"],
    [['move', 'app.js'], 'move app.js --entry server.js'],
    [['move', 'GET /a', 'app.js'], "move 'GET /a' --entry app.js"],
    [['move', 'app.js', 'b.js'], 'move app.js b.js --entry server.js'],
    [['retire', 'GET /a', 'app.js'], "retire 'GET /a' --entry app.js"],
    [['lift', 'app.js'], 'lift app.js --entry server.js'],
    [['replay', 'traffic.jsonl'], 'replay traffic.jsonl --entry server.js'],
    [['prove', 'GET /a'], "prove 'GET /a' server.js"],
    [['brief', 'GET /a'], "brief 'GET /a' server.js"],
  ])('says how it is given the entry that it needs: %j', ([command, ...names], line) => {
    expect(() => read([command!, ...names], at('plain'))).toThrow(
      `${command} needs the entry of the app, and npm start runs no file that is there: routecontrollers ${line}`,
    )
  })
})

describe('What is given', () => {
  it('has defaults', () => {
    expect(read(['inspect'])).toMatchObject({
      ...{ json: false, outputs: [], lock: undefined, accept: [], because: undefined, except: [] },
      ...{ once: false, cwd: folder, states: undefined, replay: undefined },
      edit: { write: false, force: false, run: [] },
      move: { files: [], routes: [], place: 'beside', asIs: false, native: false },
      parity: { urls: undefined, base: undefined, install: false, unsafe: false, headers: [], carry: [] },
    })
  })

  it('is a lock by its usual name, where none stands behind the option', () => {
    for (const line of [['--lock'], ['--lock', '--once'], ['--lock=routes.lock.json']])
      expect(read(['inspect', ...line]).lock).toBe('routes.lock.json')
    expect(read(['inspect', '--lock', 'l.json', '--except', '/a']).except).toEqual(['/a'])
  })

  it('is a file for each reporter, in the order of the options', () => {
    const { outputs, json } = read([
      ...['check', 'a.js', '--html', 'c.html', '--json'],
      ...['--reporter', 'sarif=b.sarif', '--reporter', 'markdown'],
    ])
    expect([json, outputs]).toEqual([
      true,
      [
        { reporter: 'sarif', file: 'b.sarif' },
        { reporter: 'markdown', file: undefined },
        { reporter: 'json', file: undefined },
        { reporter: 'html', file: 'c.html' },
      ],
    ])
    expect(refusal('check', 'a.js', '--reporter', 'sarf')).toContain('did you mean sarif?')
    expect(refusal('check', 'a.js', '--reporter', 'sarif=')).toBe(
      '--reporter sarif= names no file: leave = out to print it',
    )
    expect(refusal('check', 'a.js', '--reporter', 'sarif=b.js')).toContain(
      'would write over the code in b.js',
    )
    for (const name of ['code.ts', 'code.cjs'])
      expect(refusal('inspect', 'a.js', '--lock', name)).toBe(
        `--lock would write over the code in ${name}: name another file`,
      )
    expect(refusal('parity', 'a.js', '--resume', 'b.js')).toContain('--resume would write over the code')
    expect(refusal('check', 'a.js', '--html', 'sub')).toBe('--html takes a file, and sub is a folder')
    expect(refusal('check', 'a.js', '--html', 'no/x.html')).toContain(`there is no folder ${at('no')}`)
  })

  it('is the routes and the files of a command that edits', () => {
    const moved = read([
      ...['move', 'a.js', 'GET /a', '/b/**', '--routes', 'POST /c', '--entry', 'server.js'],
      ...['--in-place', '--write', '--run', 'npm test', '--run', 'true', '--force'],
    ])
    expect(moved.move).toEqual({
      files: [at('a.js')],
      routes: ['GET /a', '/b/**', 'POST /c'],
      ...{ place: 'in-place', asIs: false, native: false },
    })
    expect(moved.edit).toEqual({ write: true, force: true, run: ['npm test', 'true'] })
    const retired = read(['retire', 'b.js', 'GET /a', '--native-in', 'states.json', '--entry', 'server.js'])
    expect(retired.retire).toEqual({ files: [at('b.js')], routes: ['GET /a'], nativeIn: 'states.json' })
    expect([retired.move.files, retired.lift.files]).toEqual([[], []])
    expect(read(['lift', 'a.js', 'b.js', '--entry', 'server.js']).lift.files).toEqual([
      at('a.js'),
      at('b.js'),
    ])
  })

  it('is the routes of brief and prove, beside their entry', () => {
    const { named, entry } = read([
      ...['prove', 'GET /a', 'server.js', '--routes', '/b', '--recording', 'traffic.jsonl'],
      ...['--request', 'GET /a/1', '--watch'],
    ])
    expect([named, entry]).toEqual([
      {
        routes: ['GET /a', '/b'],
        recording: at('traffic.jsonl'),
        ...{ requests: ['GET /a/1'], watch: true },
      },
      at('server.js'),
    ])
    expect(refusal('brief', 'server.js')).toContain('brief needs a route')
    expect(refusal('prove', 'GET /a', '--recording', 'none.jsonl')).toContain('There is no file none.jsonl')
  })

  it('is what replay compares', () => {
    const ofEntry = read(['replay', 'traffic.jsonl', '--entry', 'server.js', '--rate', '50'])
    expect([ofEntry.entry, ofEntry.replay]).toEqual([
      at('server.js'),
      { traffic: at('traffic.jsonl'), against: undefined, and: undefined, rate: 50 },
    ])
    const [against, and] = ['http://ada:pw@127.0.0.1:1/', 'https://127.0.0.1:2/']
    const { entry, replay } = read(['replay', 'traffic.jsonl', '--against', against, '--and', and])
    expect([entry, replay?.against?.href, replay?.and?.href, replay?.rate]).toEqual([
      '',
      'http://127.0.0.1:1/',
      and,
      undefined,
    ])
    expect(refusal('replay')).toContain('replay needs a recording')
    for (const rate of ['0', '-1', 'x', '10001'])
      expect(refusal('replay', 'traffic.jsonl', `--rate=${rate}`)).toContain('--rate takes requests a second')
    expect(read(['replay', 'traffic.jsonl', '--rate', '10000']).replay?.rate).toBe(10_000)
    expect(refusal('replay', 'traffic.jsonl', '--and', 'http://ada:pw@x y/')).not.toContain('pw')
    expect(refusal('replay', 'traffic.jsonl', '--entry', 'a.js', '--against', 'http://x')).toContain(
      '--entry and --against both name the app',
    )
  })

  it('is what parity compares', () => {
    const { parity } = read([
      ...['parity', 'server.js', '--base', 'HEAD~1', '--install', '--data', 'lib/data', '--unsafe'],
      ...['--header', 'Cookie: a=b: c', '--header', 'x-key=1', '--legacy-env', 'A=1', '--carry', '.env'],
      ...['--run', 'npm run build', '--ignore', 'GET /a $.b', '--resume', 'done.txt'],
    ])
    expect(parity).toMatchObject({
      ...{ urls: undefined, base: 'HEAD~1', install: true, data: at('lib', 'data'), unsafe: true },
      headers: [
        ['cookie', 'a=b: c'],
        ['x-key', '1'],
      ],
      ...{ legacyEnv: { A: '1' }, carry: ['.env'], run: ['npm run build'], ignore: ['GET /a $.b'] },
      ...{ resume: 'done.txt', dataEnv: undefined },
    })
    const urls = read(['parity', 'http://ada:pw@127.0.0.1:1', 'HTTP://127.0.0.1:2']).parity.urls
    expect(urls?.map(({ href }) => href)).toEqual(['http://127.0.0.1:1/', 'http://127.0.0.1:2/'])
    expect(refusal('parity', 'http://a', 'http://b', 'http://c')).toContain('parity takes two URLs')
    expect(refusal('parity', 'http://a')).toContain('parity takes two URLs')
    expect(refusal('parity', 'server.js', '--header', 'x-key: a\nb')).toBe(
      "--header takes 'name: value'; that of x-key is none",
    )
  })
})

it.each<[string[], string]>([
  [['parity', '--base', '--json'], '--base takes a value'],
  [['parity', '--base'], '--base takes a value'],
  [['inspect', '--json=yes'], '--json takes no value'],
  [['check', '--jsn'], 'check has no option --jsn, did you mean --json?'],
  [['inspect', '--once'], '--except and --once go with --lock'],
  [['inspect', '--except', 'GET /a'], '--except and --once go with --lock'],
  [['inspect', '--lock', 'l.json', '--except', 'users'], "--except takes 'GET /path'"],
  [['inspect', '--settle-ms', ' '], '--settle-ms is a whole number of milliseconds'],
  [['inspect', '--settle-ms', '1.5'], '--settle-ms is a whole number of milliseconds'],
  [['inspect', '--settle-ms=-1'], '--settle-ms is a whole number of milliseconds'],
  [['inspect', '--env', '=1'], '--env takes NAME=value'],
  [['check', '--accept', 'GET /a'], 'stand together'],
  [['check', '--accept', 'GET /a', '--because', ' '], 'stand together'],
  [['check', '--because', 'a test'], 'stand together'],
  [['move', '--run', 'npm test'], '--run goes with --write'],
  [['move', '--run', 'a', '--run', 'b'], '--run goes with --write'],
  [['move', '--as-is', '--in-place'], 'leave --as-is out'],
  [['move', '--as-is', '--native'], 'one at a time'],
  [['parity', '--install'], '--install goes with --base'],
  [['parity', '--run', 'make'], '--run goes with --base'],
  [['parity', '--carry', '.env'], '--carry goes with --base'],
  [['parity', '--data-env', 'D'], '--data-env goes with --data'],
  [['parity', '--data', '..'], '--data-env NAME says by which variable'],
  [['parity', '--data', '.'], '--data-env NAME says by which variable'],
  [['parity', '--base', 'HEAD', '--carry', 'none'], '--carry: there is no none'],
  [['parity', '--base', 'HEAD', '--carry', '.'], '--carry: . does not stand in'],
  [['parity', '--base', 'HEAD', '--carry', tmpdir()], 'does not stand in'],
  [['parity', '--base', 'HEAD', '--carry', 'server.js'], '--carry: server.js has the entry'],
  [['parity', '--base', 'HEAD', '--carry', 'around'], '--carry: around has the entry'],
  [['lift', 'none.js'], 'There is no file none.js'],
  [['lift', 'sub'], 'sub is a folder: name the files in it'],
  [['move', 'none.js'], 'There is no file none.js'],
  [['retire', 'none.js'], 'There is no file none.js'],
  [['parity', 'http://a', 'http://b', '--base', 'HEAD'], 'takes neither --base nor --data'],
  [['parity', 'http://a', 'http://b', '--data', 'lib'], 'takes neither --base nor --data'],
])('Refused is %j', (line, sentence) => {
  expect(refusal(...line)).toContain(sentence)
})

it.each([
  [[], 'what guards each route'],
  [['help'], 'what guards each route'],
  [['-h'], 'what guards each route'],
  [['--help', 'move'], 'routecontrollers move'],
  [['check', '--help'], 'routecontrollers check'],
  [['check', '--help', '--version'], 'routecontrollers check'],
])('Help is told for %j', (line, text) => {
  expect((readCommandLine(line) as { text: string }).text).toContain(text)
})

it.each([[['--version']], [['-v']], [['check', '--version']]])('The version is told for %j', (line) => {
  expect(readCommandLine(line)).toEqual({ text: undefined })
})

it.each([
  ['inspcet', 'There is no command "inspcet", did you mean inspect? routecontrollers --help names all'],
  ['zzz', 'There is no command "zzz": routecontrollers --help'],
])('There is no command %s', (name, sentence) => {
  expect(() => readCommandLine([name])).toThrow(sentence)
})
