import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findBlocks, findCommentBlocks, readDocument } from '../support/doc-blocks.js'
import { buildPrograms, runAlone, Runner } from './runner/run.js'
import { checkCommand, readCommands, tryCommands } from './runner/shell.js'
import { isAsShown } from './runner/shown.js'
import { checkTypes } from './runner/types.js'
import { itSlow, slowRows } from '../support/counts.js'

/** Markdown is easier to read here when its fences are `~~~`. */
const read = (...lines: string[]) => readDocument('SAMPLE.md', lines.join('\n').replaceAll('~~~', '```'))

async function runAll(...lines: string[]): Promise<void> {
  await runWith(runAlone, lines)
}

async function runWith(
  run: typeof runAlone,
  lines: string[],
  limit: { timeout?: number } = {},
): Promise<void> {
  const { programs } = read(...lines)
  const { runnables, remove } = await buildPrograms(programs)
  try {
    for (const program of programs) {
      const runnable = runnables.get(program)!
      const commands = program.shell.flatMap(readCommands)
      await run(runnable, {
        ...limit,
        whileRunning: () => tryCommands(commands, runnable.ports),
      })
    }
  } finally {
    remove()
  }
}

describe('finding blocks', () => {
  it('gives each its language and its place', () => {
    const blocks = findBlocks(
      'a.md',
      ['# A', '', '```ts', 'one()', '```', '', '- item', '', '  ~~~sh', '  two', '  ~~~'].join('\n'),
    )
    expect(blocks).toMatchObject([
      { file: 'a.md', line: 4, language: 'ts', code: 'one()' },
      { file: 'a.md', line: 10, language: 'sh', code: 'two' },
    ])
  })

  it('does not end a block at a shorter fence', () => {
    expect(findBlocks('a.md', ['````text', '```ts', '```', '````'].join('\n'))).toMatchObject([
      { code: '```ts\n```' },
    ])
  })

  it('reads what a comment says about the block below it, and about no other', () => {
    const blocks = findBlocks(
      'a.md',
      ['<!-- with: shop, users -->', '<!-- continues -->', '', '```ts', '```', '```ts', '```'].join('\n'),
    )
    expect(blocks).toMatchObject([
      { continues: true, fixtures: ['shop', 'users'] },
      { continues: false, fixtures: [] },
    ])
  })

  it('finds fenced blocks and bare examples in doc comments', () => {
    const source = [
      'const a = 1',
      '/**',
      ' * Adds.',
      ' *',
      ' * @example',
      ' * add(1, 2) // → 3',
      ' *',
      ' * @example With a title',
      ' * ```ts',
      ' * add(2, 2)',
      ' * ```',
      ' * @returns the sum',
      ' */',
    ].join('\n')
    expect(findCommentBlocks('src/add.ts', source)).toMatchObject([
      { line: 6, language: 'ts', code: 'add(1, 2) // → 3' },
      { line: 10, language: 'ts', code: 'add(2, 2)' },
    ])
  })

  it('keeps the lines of a program where they stand in the document', () => {
    const { programs } = read('~~~ts', 'a()', '~~~', '<!-- continues -->', '~~~ts', 'b()', '~~~')
    expect(programs).toMatchObject([
      { name: 'SAMPLE.md:2', source: ['', 'a()', '', '', '', 'b()'].join('\n') },
    ])
  })

  it('names the blocks that nobody could check', () => {
    expect(read('~~~', 'what?', '~~~', '~~~cobol', '~~~', '~~~json', '{ a: 1 }', '~~~').problems).toEqual([
      'SAMPLE.md:2: nothing runs a block of no language',
      'SAMPLE.md:5: nothing runs a block of cobol',
      expect.stringMatching(/^SAMPLE\.md:7: SyntaxError/),
    ])
    expect(read('<!-- with: nobody -->', '~~~ts', '~~~').problems).toEqual([
      'SAMPLE.md:3: there is no fixture nobody',
    ])
    expect(read('<!-- continues -->', '~~~ts', '~~~').problems).toHaveLength(1)
  })
})

describe('types', () => {
  it('are checked block by block, with the line of the document', () => {
    const { programs } = read(
      '~~~ts',
      'const a: number = await Promise.resolve(1)',
      '~~~',
      '~~~ts',
      "const a: number = 'one'",
      '~~~',
      '~~~js',
      'Math.max("one")',
      '~~~',
    )
    expect(checkTypes(programs)).toEqual([
      "SAMPLE.md:5: Type 'string' is not assignable to type 'number'.",
      "SAMPLE.md:8: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ])
  })
})

describe('running', () => {
  it('holds the comments to be true', async () => {
    await runAll(
      '~~~ts',
      'const sum = 1 + 1 // → 2',
      "await Promise.resolve({ a: ['x'] }) // → { a: [ 'x' ] }",
      "console.log('sum', sum) // sum 2",
      "JSON.parse('{') // throws in JSON at position",
      "Object.assign(Object.create(null), { id: '7' }) // → { id: '7' }",
      '~~~',
    )
  })

  it.each(
    slowRows<readonly [string, RegExp]>(1, [
      ['1 + 1 // → 3', /SAMPLE\.md:2: shown as\s+3\s+but is\s+2/],
      ['const sum = 1 + 1 // → 3', /SAMPLE\.md:2: shown as/],
      ['console.log(1 + 1) // 3', /SAMPLE\.md:2: shown as/],
      ['String(1) // throws anything', /SAMPLE\.md:2: shown to throw anything/],
      ["throw new Error('broken')", /SAMPLE\.md-2\.ts:2\s[^]*broken/],
      ["void Promise.reject(new Error('nobody waits'))", /nobody waits/],
    ]),
  )('fails for %s', async (line, message) => {
    await expect(runAll('~~~ts', line, '~~~')).rejects.toThrow(message)
  })

  itSlow('fails where it takes too long', async () => {
    const lines = ['~~~ts', 'await new Promise(() => setInterval(() => {}, 60_000))', '~~~']
    await expect(runWith(runAlone, lines, { timeout: 500 })).rejects.toThrow('more than 500 ms')
  })

  describe('in one process', () => {
    const runner = new Runner()
    afterAll(() => runner.stop())
    const run = (...lines: string[]): Promise<void> => runWith(runner.run.bind(runner), lines)
    const leave = 'Object.assign(globalThis, { wasHere: true })'
    const find = "if ('wasHere' in globalThis) throw new Error('others were here')"

    itSlow('runs one that fails among others again alone', async () => {
      await run('~~~ts', leave, '~~~', '~~~ts', find, '~~~')
      await expect(run('~~~ts', 'process.exit()', '~~~')).rejects.toThrow('ended its process')
      await run('~~~ts', find, '~~~')
    })

    it('fails where one is wrong, and goes on with the next one', async () => {
      await expect(run('~~~ts', "throw new Error('broken')", '~~~')).rejects.toThrow(
        /SAMPLE\.md-2\.ts:2\s[^]*broken/,
      )
      await run('~~~ts', '1 + 1 // → 2', '~~~')
    })
  })

  it('goes on where the block before ended', async () => {
    await runAll(
      '~~~ts',
      'let a = 1',
      '~~~',
      'Then:',
      '<!-- continues -->',
      '~~~ts',
      'a += 1',
      'a // → 2',
      '~~~',
    )
  })

  it('gives a block what its fixture exports, and what it imports from there', async () => {
    const lines = [
      '<!-- with: sample -->',
      '~~~ts',
      'const mine: Sample = sample',
      "mine.tea // → 'Sencha'",
      '~~~',
      '~~~ts',
      "import { sample } from './sample.js'",
      "sample // → { tea: 'Sencha' }",
      '~~~',
    ]
    expect(checkTypes(read(...lines).programs)).toEqual([])
    await runAll(...lines)
  })

  it('runs CommonJS', async () => {
    await runAll('~~~js', "const { join } = require('node:path')", "join('a', 'b') // → 'a/b'", '~~~')
  })

  itSlow(
    'asks a server while it runs, on another port than the one that is shown, and ends it afterwards',
    async () => {
      await runAll(
        '~~~ts',
        "import { createServer } from 'node:http'",
        "createServer((req, res) => res.end(req.method + ' ' + req.url)).listen(3000)",
        '~~~',
        '<!-- continues -->',
        '~~~sh',
        'curl http://localhost:3000/a?b # → GET /a?b',
        '~~~',
        '<!-- continues -->',
        '~~~console',
        "$ curl -i -X PUT -d 'x=1' localhost:3000/c",
        'HTTP/1.1 200 OK',
        '…',
        'PUT /c',
        '~~~',
      )
    },
  )

  itSlow('fails when a command prints something else than is shown', async () => {
    const server =
      "import('node:http').then((http) => http.createServer((_, res) => res.end('A')).listen(3000))"
    await expect(
      runAll(
        '~~~js',
        `await ${server}`,
        '~~~',
        '<!-- continues -->',
        '~~~sh',
        'curl localhost:3000 # → B',
        '~~~',
      ),
    ).rejects.toThrow(/SAMPLE\.md:6: curl localhost:3000: shown as\s+B\s+but prints\s+A/)
  })
})

describe('commands', () => {
  const check = (line: string) =>
    readCommands(findBlocks('a.md', '```sh\n' + line + '\n```')[0]!).map(checkCommand)

  it.each([
    'npm ci && npm start',
    'npm install routecontrollers',
    'npm run build # both',
    'bash .ci/run',
    'PORT=4000 npm start',
  ])('accepts %s', (line) => {
    expect(check(line).every((problem) => problem === undefined)).toBe(true)
  })

  it.each([
    'npm run nothing',
    'npm install route-controllers',
    'node nowhere.js',
    'npx nobody',
    'frobnicate',
  ])('refuses %s', (line) => {
    expect(check(line)).toEqual([expect.stringContaining(line)])
  })

  it('sends what curl would send', async () => {
    const server = createServer((req, res) => {
      const { method, url, headers } = req
      let body = ''
      req.on('data', (text) => (body += String(text)))
      req.on('end', () => {
        res.setHeader('Set-Cookie', ['a=1; Path=/', 'b=2'])
        res.end(
          JSON.stringify({
            method,
            url,
            type: headers['content-type'],
            cookie: headers.cookie,
            x: headers['x-a'],
            body,
          }),
        )
      })
    })
    await new Promise<void>((resolve) => server.listen(0, resolve))
    const { port } = server.address() as AddressInfo
    const [block] = findBlocks(
      'a.md',
      [
        '```console',
        `$ curl -s -c jar -H 'X-A: it is' "localhost:3000/a%20b?c=d"`,
        '{"method":"GET","url":"/a%20b?c=d","x":"it is","body":""}',
        `$ curl -b jar --json '{"a":1}' \\`,
        '  localhost:3000',
        '{"method":"POST","url":"/","type":"application/json","cookie":"a=1; b=2","body":"{\\"a\\":1}"}',
        `$ curl -so /dev/null -w '%{http_code}\\n' localhost:3000`,
        '200',
        '```',
      ].join('\n'),
    )
    try {
      await tryCommands(readCommands(block!), new Map([['3000', String(port)]]))
      const [unknown] = findBlocks('a.md', '```sh\ncurl --proxy x localhost:3000\n```')
      await expect(tryCommands(readCommands(unknown!), new Map())).rejects.toThrow(
        'does not know curl --proxy',
      )
    } finally {
      server.close()
    }
  })
})

describe('isAsShown', () => {
  it.each([
    ['a\nb', 'a\nb  ', true],
    ['a 17 ms', 'a … ms', true],
    ['a\nx\ny\nb', 'a\n…\nb', true],
    ['a\nx\nb', 'a …\nb', false],
    ['a.b', 'a?b', false],
  ])('%j as %j: %s', (actual, shown, expected) => {
    expect(isAsShown(actual, shown)).toBe(expected)
  })
})
