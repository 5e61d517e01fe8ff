// Copies of data for one side: files with their times, and what links lead to.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../packages/cli/src/entry/options.js'
import { copyCode, copyData, givePackages } from '../../packages/cli/src/parity/copies.js'

let folder: string
const at = (...names: string[]): string => join(folder, ...names)
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'rc-copies-'))
  mkdirSync(at('data', 'teas'), { recursive: true })
  mkdirSync(at('elsewhere'))
  writeFileSync(at('data', 'teas', 'assam.txt'), 'assam')
  writeFileSync(at('elsewhere', 'mate.txt'), 'mate')
})
afterEach(() => rmSync(folder, { recursive: true }))
const copy = (from = 'data'): void => copyData(at(from), at('copy'))

describe('A copy of data', () => {
  it('has the files with their times', () => {
    utimesSync(at('data', 'teas', 'assam.txt'), new Date(1_000_000), new Date(2_000_000))
    copy()
    expect(readFileSync(at('copy', 'teas', 'assam.txt'), 'utf8')).toBe('assam')
    expect(statSync(at('copy', 'teas', 'assam.txt')).mtimeMs).toBe(2_000_000)
  })

  it('may be one of a file, and of what a link leads to', () => {
    symlinkSync(at('elsewhere', 'mate.txt'), at('link'))
    copy('link')
    expect([lstatSync(at('copy')).isSymbolicLink(), readFileSync(at('copy'), 'utf8')]).toEqual([
      false,
      'mate',
    ])
  })

  it('has links within it that lead to the copy, and copies of what others lead to', () => {
    symlinkSync(at('data', 'teas'), at('data', 'a-within'))
    symlinkSync(at('elsewhere'), at('data', 'b-without'))
    symlinkSync(at('nowhere'), at('data', 'c-broken'))
    writeFileSync(at('data', 'd-last'), 'last')
    copy()
    expect(realpathSync(at('copy', 'a-within'))).toBe(at('copy', 'teas'))
    expect(lstatSync(at('copy', 'b-without')).isSymbolicLink()).toBe(false)
    writeFileSync(at('copy', 'b-without', 'mate.txt'), 'other')
    expect(readFileSync(at('elsewhere', 'mate.txt'), 'utf8')).toBe('mate')
    // A link to nothing is left out, and what comes behind it is not.
    expect([existsSync(at('copy', 'c-broken')), readFileSync(at('copy', 'd-last'), 'utf8')]).toEqual([
      false,
      'last',
    ])
  })

  it('has nothing of what a server listens at', async () => {
    const server = createServer().listen(at('data', 'server.sock'))
    await once(server, 'listening')
    try {
      copy()
    } finally {
      server.close()
    }
    expect([existsSync(at('copy', 'server.sock')), existsSync(at('copy', 'teas'))]).toEqual([false, true])
  })

  it.each([
    ['a folder around it', () => symlinkSync(folder, at('data', 'up'))],
    [
      'a folder that leads back',
      () => {
        symlinkSync(at('elsewhere'), at('data', 'away'))
        symlinkSync(at('data'), at('elsewhere', 'back'))
      },
    ],
    [
      'a folder that leads back into a part',
      () => {
        symlinkSync(at('elsewhere'), at('data', 'away'))
        symlinkSync(at('data', 'teas'), at('elsewhere', 'back'))
      },
    ],
  ])('is not made where a link leads to %s', (_what, link) => {
    link()
    expect(() => copy()).toThrow(UsageError)
  })
})

it('A copy of code has the links of today, also where it had others', () => {
  symlinkSync(at('data', 'teas'), at('data', 'link'))
  mkdirSync(at('copy'))
  symlinkSync(at('elsewhere'), at('copy', 'link'))
  copyCode(at('data', 'link'), at('copy', 'link'), { from: at('data'), to: at('copy') })
  copyCode(at('data'), at('copy'), { from: at('data'), to: at('copy') })
  expect(realpathSync(at('copy', 'link'))).toBe(at('copy', 'teas'))
})

it('A copy of packages has nothing that tools keep there for the next time', () => {
  for (const name of ['teas', '.cache']) {
    mkdirSync(at('data', 'node_modules', name), { recursive: true })
    writeFileSync(at('data', 'node_modules', name, 'index.js'), '')
  }
  mkdirSync(at('copy'))
  const tree = { from: at('data'), to: at('copy') }
  givePackages(tree, tree, { top: at('copy'), areWritten: true })
  const packages = readdirSync(at('copy', 'node_modules'))
  expect([packages, lstatSync(at('copy', 'node_modules')).isSymbolicLink()]).toEqual([['teas'], false])
})
