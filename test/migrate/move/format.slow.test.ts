// Which formatter formats what is written, and by which of its configurations.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { FileFormatter } from '../../../packages/cli/src/edit/format.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'format-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(__dirname, '../../../node_modules/prettier'), join(folder, 'node_modules/prettier'))
  const files = {
    '.prettierrc': { semi: false },
    'dev/package.json': { devDependencies: { prettier: '*' } },
    'dev/semicolons/.prettierrc': { semi: true },
    'dev/not-installed/package.json': { devDependencies: { '@biomejs/biome': '*' } },
    'used/package.json': { dependencies: { prettier: '*' } },
    'none/package.json': {},
  }
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), JSON.stringify(value))
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

it('is the nearest one that is installed, and each file has its own configuration', async () => {
  const context = { stdout: new PassThrough(), stderr: new PassThrough(), preload: '' }
  const formatter = new FileFormatter(folder, { ...context, today: '', version: () => '' })
  const folders = ['dev', 'dev/semicolons', 'dev/not-installed', 'used', 'none']
  const files = folders.map((name) => ({
    ...{ file: join(folder, name, 'app.js'), text: 'tea()\n', written: 'tea( 1 )\n', isCompiled: false },
  }))
  const written = (await formatter.format(files)).map((one) => one.written)
  expect(written).toEqual(['tea(1)\n', 'tea( 1 )\n', 'tea(1)\n', 'tea(1)\n', 'tea( 1 )\n'])
})
