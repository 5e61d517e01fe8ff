import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

jest.setTimeout(600_000)

const root = join(__dirname, '../..')

function touch(...files: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/touch.js', '--quick', ...files], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

describe('npm run touch', () => {
  it('finds somebody who objects at each place of each change', () => {
    const { status, said } = touch()
    expect([said.includes('NOBODY OBJECTS') ? said : '', status]).toEqual(['', 0])
    for (const file of readdirSync(join(root, 'scripts/touch'))) {
      const { change } = JSON.parse(readFileSync(join(root, 'scripts/touch', file), 'utf8')) as {
        change: string
      }
      expect(said).toContain(`\n${change}: `)
    }
  })

  it('fails where neither the compiler nor a check objects', () => {
    const folder = mkdtempSync(join(tmpdir(), 'untouched-'))
    const file = join(folder, 'comment.json')
    const edits = [
      {
        file: 'packages/switch/src/states/sticky.ts',
        find: '// Which side',
        replace: '// More.\n// Which side',
      },
    ]
    const compiler = ['packages/switch/src/states/sticky.ts#buckets']
    const checks = [{ command: 'scripts/build-page.js --check', says: 'is not made of' }]
    writeFileSync(file, JSON.stringify({ change: 'A comment', steps: [{ edits, compiler, checks }] }))
    const { status, said } = touch(file)
    rmSync(folder, { recursive: true })
    expect(said.split('\n').slice(1)).toEqual([
      'A comment: packages/switch/src/states/sticky.ts is edited',
      '  NOBODY OBJECTS: packages/switch/src/states/sticky.ts#buckets',
      '  NOBODY OBJECTS: node scripts/build-page.js --check: is not made of',
      'Some places are silent.',
      '',
    ])
    expect(status).toBe(1)
  })
})
