import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(__dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

describe('The lint of the lockfile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockfile-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  type Entry = Record<string, unknown>
  const hash = `sha512-${'A'.repeat(86)}==`
  const lint = (
    packages: Record<string, Entry>,
    lockfileVersion = 3,
  ): { status: number | null; stderr: string } => {
    const file = join(folder, 'package-lock.json')
    writeFileSync(file, JSON.stringify({ lockfileVersion, packages }))
    return spawnSync(process.execPath, [join(root, 'scripts/lint-lockfile.js'), file], { encoding: 'utf8' })
  }
  /** Of one lockfile with all these entries: its status, and the lines of each. */
  const withEntries = (entries: readonly Entry[]): { status: number | null; of: (at: number) => string } => {
    const all = entries.map((entry, at) => [
      `node_modules/a${at}`,
      { version: '1.0.0', integrity: hash, ...entry },
    ])
    const { status, stderr } = lint({ '': {}, ...(Object.fromEntries(all) as Record<string, Entry>) })
    const lines = stderr.split('\n')
    return { status, of: (at) => lines.filter((line) => line.includes(`node_modules/a${at}:`)).join('\n') }
  }

  it('finds nothing in ours', () => {
    const ours = spawnSync(process.execPath, ['scripts/lint-lockfile.js'], { cwd: root, encoding: 'utf8' })
    expect([ours.stderr, ours.status]).toEqual(['', 0])
  })

  const taken: [string, Entry][] = [
    ['leaves its address to npm', {}],
    ['comes from the registry', { resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz' }],
    [
      'asks for ranges and other names',
      { dependencies: { b: '^1.0.0 || >=2 <3', c: '*', d: 'npm:@x/d@~1.0', e: 'latest' } },
    ],
    ['is inside of another package', { inBundle: true, integrity: undefined }],
  ]
  const refused: [string, Entry, string][] = [
    ['no hash', { integrity: undefined }, 'integrity'],
    ['a weak hash', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'integrity'],
    ['another host', { resolved: 'https://registry.npmjs.org.evil.test/a.tgz' }, 'evil.test'],
    ['a host behind a user', { resolved: 'https://registry.npmjs.org@evil.test/a.tgz' }, 'evil.test'],
    ['a registry without TLS', { resolved: 'http://registry.npmjs.org/a.tgz' }, 'http:'],
    ['a commit', { resolved: 'git+ssh://git@github.com/a/a.git#1' }, 'git+ssh'],
    ['a folder', { link: true, resolved: '../a' }, 'link'],
    ['a dependency from git', { dependencies: { b: 'github:b/b' } }, 'github:b/b'],
    ['a dependency by its short name on GitHub', { dependencies: { b: 'b/b' } }, 'b/b'],
    ['an address as a dependency', { optionalDependencies: { b: 'https://evil.test/b.tgz' } }, 'evil.test'],
    ['a file as a dependency', { devDependencies: { b: 'file:../b' } }, 'file:../b'],
  ]
  let ofTaken: ReturnType<typeof withEntries>
  let ofRefused: ReturnType<typeof withEntries>
  beforeAll(() => {
    ofTaken = withEntries(taken.map(([, entry]) => entry))
    ofRefused = withEntries(refused.map(([, entry]) => entry))
  })

  it.each(taken.map(([what], at) => [what, at] as const))('takes one that %s', (_what, at) => {
    expect([ofTaken.status, ofTaken.of(at)]).toEqual([0, ''])
  })

  it.each(refused.map(([what], at) => [what, at] as const))('refuses one that has %s', (_what, at) => {
    expect([ofRefused.status, ofRefused.of(at)]).toEqual([1, expect.stringContaining(refused[at]![2])])
  })

  it('refuses a lockfile of another kind, and one without packages', () => {
    expect(lint({ '': {}, 'node_modules/a': { integrity: hash } }, 2).status).toBe(1)
    expect(lint({}).status).toBe(1)
  })
})

describe('The bill of materials', () => {
  it('has every package that users install, and no other', () => {
    const { stdout } = spawnSync(process.execPath, ['scripts/sbom.js'], { cwd: root, encoding: 'utf8' })
    const { bomFormat, metadata, components } = JSON.parse(stdout) as {
      bomFormat: string
      metadata: { component: { name: string } }
      components: { hashes: { alg: string; content: string }[] }[]
    }
    expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'routecontrollers'])
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean; integrity?: string }>
    }
    // By their bytes: one package may be there under two names.
    const installed = Object.entries(packages).filter(
      ([path, { dev, devOptional, link }]) =>
        path.startsWith('node_modules/') && !dev && !devOptional && !link,
    )
    expect(
      new Set(
        components.map(
          ({ hashes: [first] }) => `sha512-${Buffer.from(first!.content, 'hex').toString('base64')}`,
        ),
      ),
    ).toEqual(new Set(installed.map(([, { integrity }]) => integrity)))
  })
})

describe.each(readdirSync(join(root, '.github/workflows')))('The workflow %s', (name) => {
  const text = read(`.github/workflows/${name}`)

  it('uses actions by their commit, each with its version', () => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line))
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
      [],
    )
  })

  it('has no rights but those that a job names', () => {
    expect(text).toMatch(/^permissions: \{\}$/m)
    const rights = new Set([...text.matchAll(/^ {6}([a-z-]+: (?:read|write))$/gm)].map(([, right]) => right))
    expect([...rights]).toEqual(
      name === 'publish.yml' ? ['contents: read', 'id-token: write'] : ['contents: read'],
    )
    expect(text).not.toMatch(/write-all|secrets\.|pull_request_target/)
  })

  it('puts nothing that comes from outside into a script', () => {
    const scripts = text.split('\n').filter((line) => /^\s*(?:- )?run:/.test(line))
    expect(scripts.filter((line) => line.includes('${{'))).toEqual([])
  })
})

describe('CI', () => {
  it('runs everything on every version of Node that is supported', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
    expect(engines.node).toBe('>=20.19')
    const ci = read('.github/workflows/ci.yml')
    expect(ci).toContain('node: [20, 22, 24, 26]')
    expect(ci).toContain('run: bash .ci/run')
  })

  it('looks at the lockfile before anything of it is installed', () => {
    const run = read('.ci/run')
    expect(run.indexOf('scripts/lint-lockfile.js')).toBeGreaterThan(0)
    expect(run.indexOf('scripts/lint-lockfile.js')).toBeLessThan(run.indexOf('npm ci\n'))
  })
})

describe('The address of the repository', () => {
  const setIn = (folder: string, ...addresses: string[]) =>
    spawnSync(process.execPath, [join(root, 'scripts/set-repository.js'), ...addresses], {
      cwd: folder,
      encoding: 'utf8',
    })
  const folder = mkdtempSync(join(tmpdir(), 'repository-'))
  const file = join(folder, 'package.json')
  afterAll(() => rmSync(folder, { recursive: true }))

  it('stands nowhere in package.json', () => {
    const { repository, homepage, bugs } = JSON.parse(read('package.json')) as Record<string, unknown>
    expect([repository, homepage, bugs]).toEqual([undefined, undefined, undefined])
  })

  it.each(['https://git.example/owner/name', 'https://git.example/owner/name.git'])(
    'is filled in by one command, from %s',
    (address) => {
      writeFileSync(file, read('package.json'))
      mkdirSync(join(folder, 'packages/cli'), { recursive: true })
      writeFileSync(join(folder, 'packages/cli/package.json'), read('packages/cli/package.json'))
      expect(setIn(folder, address).status).toBe(0)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
        ...(JSON.parse(read('package.json')) as object),
        repository: { type: 'git', url: 'git+https://git.example/owner/name.git' },
        homepage: 'https://git.example/owner/name#readme',
        bugs: { url: 'https://git.example/owner/name/issues' },
      })
      const { repository, version } = JSON.parse(
        readFileSync(join(folder, 'packages/cli/package.json'), 'utf8'),
      ) as Record<string, unknown>
      expect([repository, version]).toEqual([
        { type: 'git', url: 'git+https://git.example/owner/name.git', directory: 'packages/cli' },
        '0.1.0',
      ])
    },
  )

  it.each([[], ['owner/name'], ['http://git.example/owner/name']])('is not taken from %p', (...addresses) => {
    writeFileSync(file, '{}')
    expect(setIn(folder, ...addresses).status).toBe(1)
    expect(readFileSync(file, 'utf8')).toBe('{}')
  })

  it('is filled in by the workflow that publishes, before it packs', () => {
    const steps = read('.github/workflows/publish.yml')
    const filled = steps.indexOf('node scripts/set-repository.js "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"')
    expect(filled).toBeGreaterThan(0)
    expect(filled).toBeLessThan(steps.indexOf('npm pack'))
  })
})
