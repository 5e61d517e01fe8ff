import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute, type Packed, root, tarballOf } from './project.js'

/** Where the links of a page lead to, those of HTML too. */
const targetsOf = (page: string): string[] =>
  [...page.matchAll(/\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"/g)].map(([, link, html]) => (link ?? html)!)

describe.each<[Packed, string]>([
  ['core', '.'],
  ['cli', 'packages/cli'],
  ['switch', 'packages/switch'],
])('The README of %s', (packed, folder) => {
  const inCheckout = readFileSync(join(root, folder, 'README.md'), 'utf8')

  it('has no link, packed, that needs a file beside it', () => {
    const page = execute('tar', ['-xOzf', tarballOf(packed), 'package/README.md'], { cwd: root })
    expect(page.split('\n')[0]).toBe(inCheckout.split('\n')[0])
    expect(targetsOf(page).filter((target) => !/^(?:https:|#)/.test(target))).toEqual([])
  })

  it('is in the checkout as it was, after packing', () => {
    const relative = targetsOf(inCheckout).filter((target) => !/^(?:https:|#)/.test(target))
    expect(relative.filter((target) => !existsSync(join(root, folder, target.replace(/#.*/, ''))))).toEqual(
      [],
    )
    if (packed === 'core') expect(relative).toContain('docs/behaviour.md')
    expect(existsSync(join(root, folder, 'node_modules/.cache/pack-readme.json'))).toBe(false)
  })

  it('refuses to be published where nothing says which repository it is from', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const { status, stderr } = spawnSync(scripts['prepublishOnly']!, {
      cwd: join(root, folder),
      shell: true,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining('scripts/set-repository.js')])
  })
})

describe('A README with links', () => {
  const page = [
    '[a](docs/a.md#b), ![c](docs/c.png), [d](https://d.example), [e](#e), [![f](f.svg)](f.md)',
    '`[g](g.md)`',
    '```ts',
    '[h](h.md)',
    '```',
    '',
  ].join('\n')
  let folder: string
  const script = (name: string, ...args: string[]) =>
    execute(process.execPath, [join(root, 'scripts', name), ...args], { cwd: folder })
  const readme = (): string => readFileSync(join(folder, 'README.md'), 'utf8')

  beforeEach(() => {
    folder = mkdtempSync(join(process.env.PACKED_IN!, 'readme-'))
    writeFileSync(join(folder, 'README.md'), page)
    writeFileSync(join(folder, 'package.json'), '{ "name": "a" }')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('has absolute ones, packed, where the repository is set', () => {
    script('set-repository.js', 'https://git.example/owner/name')
    script('pack-readme.js')
    const blob = 'https://git.example/owner/name/blob/HEAD'
    const raw = 'https://git.example/owner/name/raw/HEAD'
    expect(readme()).toBe(
      page
        .replace('docs/a.md', `${blob}/docs/a.md`)
        .replace('docs/c.png', `${raw}/docs/c.png`)
        .replace('f.svg', `${raw}/f.svg`)
        .replace('f.md', `${blob}/f.md`),
    )
  })

  it('has those of its own folder, in a workspace', () => {
    mkdirSync(join(folder, 'packages/cli'), { recursive: true })
    writeFileSync(join(folder, 'packages/cli/README.md'), '[a](a.md) [b](../../b.md)')
    writeFileSync(join(folder, 'packages/cli/package.json'), '{ "name": "cli" }')
    script('set-repository.js', 'https://git.example/owner/name.git')
    script('pack-readme.js', 'packages/cli')
    const blob = 'https://git.example/owner/name/blob/HEAD'
    expect(readFileSync(join(folder, 'packages/cli/README.md'), 'utf8')).toBe(
      `[a](${blob}/packages/cli/a.md) [b](${blob}/b.md)`,
    )
  })

  it('keeps their texts, packed, where no repository is set', () => {
    script('pack-readme.js')
    expect(readme()).toBe(page.replace(/.*/, 'a, c, [d](https://d.example), [e](#e), f'))
  })

  it('is restored after packing, also where packing has failed in between', () => {
    script('pack-readme.js')
    expect(readme()).not.toBe(page)
    script('pack-readme.js')
    script('pack-readme.js', '--restore')
    expect(readme()).toBe(page)
    script('pack-readme.js', '--restore')
    expect(readme()).toBe(page)
  })

  it('is not restored where it was edited in between', () => {
    script('pack-readme.js')
    writeFileSync(join(folder, 'README.md'), 'edited')
    script('pack-readme.js', '--restore')
    expect(readme()).toBe('edited')
  })
})
