// What each reporter writes is read here as its reader reads it: annotations by the grammar of workflow commands, SARIF by its schema.
import '@microsoft/jest-sarif'
import MarkdownIt from 'markdown-it'
import { marked } from 'marked'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { itSlow } from '../support/counts.js'
import { githubText } from '../../packages/cli/src/report/github.js'
import { markdownText } from '../../packages/cli/src/report/markdown.js'
import { sarifText } from '../../packages/cli/src/report/sarif.js'
import type { Remark, Review } from '../../packages/cli/src/report/review.js'
import { ProjectFolder } from './project-folder.js'
import { type Command, createCommand } from './run-command.js'

jest.setTimeout(300_000)

interface Annotation {
  readonly command: string
  readonly properties: Readonly<Record<string, string>>
  readonly message: string
}

/** Reads lines as the runner of GitHub Actions does: `::name key=value,key=value::message`. */
function annotationsIn(text: string): { annotations: Annotation[]; others: string[] } {
  const annotations: Annotation[] = []
  const others: string[] = []
  const data = (value: string): string =>
    value.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
  for (const line of text.split('\n').filter(Boolean)) {
    const [, command, listed, message] = /^::([^\s:]+)(?: ([^]*?))?::([^]*)$/.exec(line) ?? []
    if (command === undefined) {
      others.push(line)
      continue
    }
    const pairs = listed!.split(',').map((pair): [string, string] => {
      const at = pair.indexOf('=')
      const value = pair
        .slice(at + 1)
        .replaceAll('%3A', ':')
        .replaceAll('%2C', ',')
      return [pair.slice(0, at), data(value)]
    })
    annotations.push({ command, properties: Object.fromEntries(pairs), message: data(message!) })
  }
  return { annotations, others }
}

const remark: Remark = {
  code: 'lost',
  title: 'Requests of a route do not pass a function any more',
  severity: 'error',
  text: 'lost: requireAdmin',
  remedy: 'put it back',
  route: 'GET /admin',
  at: 'src/app.js:12',
  group: 'one',
  key: 'a',
}
const review = (...remarks: Partial<Remark>[]): Review => ({
  ok: remarks.length === 0,
  isWhole: true,
  summary: '3 routes checked: 1 with findings',
  remarks: remarks.map((one) => ({ ...remark, ...one })),
  notes: [],
})
const options = { command: 'check', name: 'src/app.js', folder: '', version: '1.2.3' }

describe('The reporter github', () => {
  it('writes one annotation for what routes have in common, at its file and line, the worst first', () => {
    const text = githubText(
      review(
        { severity: 'warning', code: 'new', group: 'two', text: 'new: is not in the lock', at: undefined },
        { route: 'GET /a' },
        { route: 'GET /b' },
        { route: 'GET /c' },
        { route: 'GET /d' },
      ),
      options,
    )
    const { annotations, others } = annotationsIn(text)
    expect(annotations).toEqual([
      {
        command: 'error',
        properties: {
          file: 'src/app.js',
          line: '12',
          title: 'check: Requests of a route do not pass a function any more',
        },
        message: 'GET /a, GET /b, GET /c and 1 more: lost: requireAdmin\n→ put it back',
      },
      {
        command: 'warning',
        properties: { title: 'check: Requests of a route do not pass a function any more' },
        message: 'GET /admin: new: is not in the lock\n→ put it back',
      },
    ])
    expect(others).toEqual(['routecontrollers check: ✗ 3 routes checked: 1 with findings'])
  })

  it('lets nothing that an app is named by end a command or begin another one', () => {
    const text = '100%\n::error::no, really: ::stop-commands::x\r::set-env name=a::b'
    const at = 'src/a,b:c%25.js:3'
    const { annotations, others } = annotationsIn(githubText(review({ text, at, title: 'a,b::c' }), options))
    expect(annotations).toHaveLength(1)
    expect(others).toHaveLength(1)
    expect(annotations[0]!.properties).toEqual({
      file: 'src/a,b:c%25.js',
      line: '3',
      title: 'check: a,b::c',
    })
    expect(annotations[0]!.message).toMatch(/^GET \/admin: lost|^GET \/admin: 100%/)
  })

  it('names files from the top of the repository, and no file that is not in it', () => {
    const places = ['src/app.js:12', 'src\\app.js:12', '../other.js:1', 'node:internal:3', '/etc/passwd']
    const files = places.map((at) => {
      const text = githubText(review({ at }), { ...options, folder: 'services/shop' })
      return annotationsIn(text).annotations[0]!.properties['file']
    })
    expect(files).toEqual([
      'services/shop/src/app.js',
      'services/shop/src/app.js',
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('The reporter sarif', () => {
  it('writes a log that is valid, with a rule and a stable fingerprint for each finding', () => {
    const some = review(
      { route: 'GET /a', key: 'a' },
      { route: 'GET /b', key: 'b', at: 'src/with space#1.js:7' },
      { code: 'new', severity: 'note', route: undefined, at: undefined },
    )
    const log = JSON.parse(sarifText(some, { ...options, folder: 'shop' }))
    expect(log).toBeValidSarifLog()
    const [{ tool, results }] = log.runs
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['check/lost', 'check/new'])
    expect(results.map(({ ruleIndex, level }: any) => [ruleIndex, level])).toEqual([
      [0, 'error'],
      [0, 'error'],
      [1, 'note'],
    ])
    // What stands nowhere is shown at the entry: code scanning takes no result without a place.
    const places = results.map(({ locations: [{ physicalLocation }] }: any) => [
      physicalLocation.artifactLocation.uri,
      physicalLocation.region.startLine,
    ])
    expect(places).toEqual([
      ['shop/src/app.js', 12],
      ['shop/src/with%20space%231.js', 7],
      ['shop/src/app.js', 1],
    ])
    const prints = results.map(({ partialFingerprints }: any) => partialFingerprints['routecontrollers/v1'])
    expect(new Set(prints).size).toBe(3)
    expect(JSON.parse(sarifText(some, { ...options, folder: 'shop' }))).toEqual(log)
  })

  it('tells two findings of one kind in one route apart', () => {
    const log = JSON.parse(sarifText(review({ key: 'a' }, { key: 'b' }), options))
    const prints = log.runs[0].results.map((one: any) => one.partialFingerprints['routecontrollers/v1'])
    expect(new Set(prints).size).toBe(2)
  })

  it('is valid where nothing was found, and says where not all was looked at', () => {
    const log = JSON.parse(sarifText({ ...review(), isWhole: false, notes: ['a note'] }, options))
    expect(log).toBeValidSarifLog()
    expect(log.runs[0].results).toEqual([])
    expect(log.runs[0].invocations[0].executionSuccessful).toBe(false)
  })

  it('is refused by the schema where a field is wrong', () => {
    const log = JSON.parse(sarifText(review({}), options))
    log.runs[0].results[0].level = 'fatal'
    expect(() => expect(log).toBeValidSarifLog()).toThrow()
  })
})

describe('The reporter markdown', () => {
  it('shows as code what an app is made of, so that it is no Markdown, HTML or mention', () => {
    const text = '`a` | <img src=x> @team **b** [c](d)\nnext'
    const markdown = markdownText(
      review({ text, remedy: 'ask @team about #12 <b>', route: 'GET /a|b' }),
      options,
    )
    const [row] = markdown.split('\n').filter((line) => line.startsWith('| ❌'))
    // A cell ends at a bar that no backslash stands before.
    expect(row!.split(/(?<!\\)\|/)).toHaveLength(6)
    const outside = row!.replace(/(`+) ?[^]*?[^`]\1(?!`)/g, '')
    expect(outside).not.toMatch(/@team|<img|\*\*b|#12|\[c\]|<b>/)
    expect(row).toContain('`GET /a\\|b`')
  })

  it('parts an address of mail behind its sign, which no entity hides', () => {
    const code = '<code>a&#92;&#124;b&#64;<!-- -->c</code>'
    expect(markdownText(review({ text: 'a\\|b@c' }), options)).toContain(`<br>${code}<br>`)
  })

  it.each([
    ['a ``` b', '````a ``` b````'],
    ['`a` b', '`` `a` b ``'],
  ])('puts longer fences around %s', (text, expected) => {
    expect(markdownText(review({ text }), options)).toContain(`<br>${expected}<br>`)
  })

  const renderers = {
    marked: (text: string) => marked.parse(text, { async: false, gfm: true }),
    'markdown-it': (text: string) => new MarkdownIt({ html: true, linkify: true }).render(text),
  }
  const entities: Readonly<Record<string, string>> = { quot: '"', lt: '<', gt: '>', amp: '&' }
  const names = [
    '/a\\|![x](//evil.example/x.png)',
    '/a\\\\|[x](//evil.example) @team a@b.example',
    '\\|`\\|<img src=x>',
    '/(a\\||b)/__c__ &lt; www.evil.example',
    '/é\\|\\',
    '/a\\',
    '`/a|b`',
    '/a|b|c\\d',
  ]
  it.each(Object.keys(renderers).flatMap((by) => names.map((name) => [by, name])))(
    'is one cell of code for each name, as %s reads it: %s',
    (by, name) => {
      const html = renderers[by as keyof typeof renderers](
        markdownText(review({ text: name, at: name, route: name }), options),
      )
      const cells = [...html.matchAll(/<td>(.*?)<\/td>/gs)].map(([, cell]) => cell!)
      expect(cells).toHaveLength(4)
      const shown = [...html.matchAll(/<code>(.*?)<\/code>/g)].map(([, text]) =>
        text!
          .replaceAll('<!-- -->', '')
          .replace(/&(?:#(\d+)|(\w+));/g, (_all, number: string | undefined, word: string) =>
            number === undefined ? entities[word]! : String.fromCodePoint(Number(number)),
          ),
      )
      expect(shown.slice(-3)).toEqual([name, name, name])
      expect(html).not.toMatch(/<(?:img|a|em)\b/)
    },
  )

  it('says how many findings are like one, unless it names the routes of all', () => {
    const [one, other] = [
      { group: 'a', route: 'GET /a' },
      { group: 'a', route: 'GET /b' },
    ]
    expect(markdownText(review(one, other), options)).not.toContain('like it')
    expect(markdownText(review(one, other, one), options)).toContain(' and 2 more like it')
  })

  it('stays below what a comment may have', () => {
    const many = Array.from({ length: 500 }, (_, at) => ({ group: String(at), text: 'x'.repeat(5000) }))
    const markdown = markdownText(review(...many), options)
    expect(markdown.length).toBeLessThan(65_536 / 2)
    expect(markdown).toContain('And 460 more findings.')
  })
})

const user = 'function user(req, res, next) { req.headers.user ? next() : res.sendStatus(401) }'
const app = (...lines: string[]): string =>
  ["const app = require('express')()", user, ...lines, 'app.listen(0)'].join('\n')

describe('--reporter', () => {
  let command: Command
  let folder: ProjectFolder
  beforeAll(() => {
    command = createCommand()
  })
  afterAll(() => command.remove())
  beforeEach(() => {
    folder = new ProjectFolder(command)
    folder.write('app.cjs', app("app.get('/a', user, (req, res) => res.end())"))
  })
  afterEach(() => folder.remove())

  itSlow(
    'writes what check has found in several formats at once, and prints the text where none is printed',
    async () => {
      await folder.writeLock('app.cjs')
      folder.write('app.cjs', app("app.get('/a', (req, res) => res.end())"))
      const written = ['json=a.json', 'html=a.html', 'markdown=a.md', 'github=a.txt', 'sarif=a.sarif']
      const { code, stdout, stderr } = await folder.run(
        'check',
        'app.cjs',
        ...written.flatMap((one) => ['--reporter', one]),
      )
      expect(code).toBe(1)
      expect(stdout).toMatch(/✗ GET \/a [^]*lost +user/)
      expect(stderr).toContain('a.sarif: 1 route checked: 1 with findings')
      const { routes } = JSON.parse(folder.read('a.json'))
      expect(routes[0].passes.map(({ is, pass }: any) => [is, pass.name])).toEqual([['lost', 'user']])
      expect(folder.read('a.html')).toMatch(/<li class="step was-lost"><i>− lost<\/i> <span>user<\/span> /)
      // A finding is read without a click, where there are few.
      expect(folder.read('a.html')).toContain('<details open><summary><b class="method">GET</b>')
      expect(folder.read('a.html')).toContain('>1 of 1 route</output>')
      expect(folder.read('a.md')).toMatch(/\| ❌ \| .*`lost: user, which stood at app\.cjs:3`.*`GET \/a`/)
      const { annotations } = annotationsIn(folder.read('a.txt'))
      expect(annotations[0]).toMatchObject({ command: 'error', properties: { file: 'app.cjs', line: '3' } })
      const log = JSON.parse(folder.read('a.sarif')) as object
      expect(log).toBeValidSarifLog()

      const printed = await folder.run('check', 'app.cjs', '--reporter', 'github')
      expect(annotationsIn(printed.stdout)).toMatchObject({
        annotations: [{ command: 'error' }],
        others: [expect.any(String)],
      })
      expect(printed.code).toBe(1)
    },
  )

  it('names files from the top of the repository that the project is in', async () => {
    await folder.writeLock('app.cjs')
    folder.write('app.cjs', app("app.get('/a', (req, res) => res.end())"))
    folder.write('.git/HEAD', '')
    const cwd = join(folder.path, 'inner')
    for (const name of ['app.cjs', 'routes.lock.json']) folder.write(`inner/${name}`, folder.read(name))
    const { stdout } = await command.run('check', 'app.cjs', '--cwd', cwd, '--reporter', 'github')
    expect(annotationsIn(stdout).annotations[0]!.properties['file']).toBe('inner/app.cjs')
  })

  it('says of doctor what stands in the way, in each format', async () => {
    folder.write('package.json', JSON.stringify({ engines: { node: '>=14' } }))
    const formats = ['markdown', 'github', 'sarif=a.sarif', 'html=a.html'].flatMap((one) => [
      '--reporter',
      one,
    ])
    const { code, stdout } = await folder.run('doctor', 'app.cjs', ...formats)
    expect(code).toBe(1)
    expect(stdout).toContain('`package.json allows Node >=14')
    const { annotations } = annotationsIn(stdout)
    expect(annotations[0]).toMatchObject({ command: 'warning', properties: { file: 'package.json' } })
    expect(JSON.parse(folder.read('a.sarif'))).toBeValidSarifLog()
    expect(folder.read('a.html')).toContain('doctor of app.cjs')
  })

  it('refuses a name that no reporter has, and a file that cannot be written, before the entry runs', async () => {
    const refusal = async (...given: string[]): Promise<string> => {
      const { code, stderr } = await folder.run('check', 'app.cjs', ...given)
      expect(code).toBe(2)
      return stderr
    }
    expect(await refusal('--reporter', 'sarf=x')).toContain('did you mean sarif?')
    expect(await refusal('--reporter', 'sarif=')).toContain('names no file')
    expect(await refusal('--reporter', 'sarif=none/x')).toContain('--reporter: there is no folder')
    expect(existsSync(join(folder.path, 'x'))).toBe(false)
  })
})
