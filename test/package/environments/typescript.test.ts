import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { directory, runScript } from './environments.js'

const versions = ['5.4', '5.5', '5.9', '6', '7']
const resolutions: [moduleResolution: string, module: string, formats: string[]][] = [
  ['nodenext', 'nodenext', ['mts', 'cts']],
  ['node16', 'node16', ['mts', 'cts']],
  ['bundler', 'esnext', ['mts']],
]

/** Compiles one of the files that are copied from test/types. Declaration files are checked too: nobody has to set skipLibCheck. */
function compile(
  version: string,
  [moduleResolution, module, formats]: (typeof resolutions)[number],
  name: string,
  paths: Record<string, string[]>,
): void {
  const folder = `typescript${version}-${name}-${moduleResolution}`
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    esModuleInterop: true,
    target: 'es2022',
    types: ['node'],
    skipLibCheck: false,
    module,
    moduleResolution,
    paths,
  }
  const files = formats.map((format) => `../${name.replace(/\d$/, '')}.${format}`)
  mkdirSync(join(directory, folder), { recursive: true })
  writeFileSync(join(directory, folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  runScript(folder, `typescript${version}/bin/tsc`, ['-p', '.'])
}

describe.each(versions)('TypeScript %s compiles the types of the packed package', (version) => {
  it.each(resolutions)('without @types/express, with moduleResolution %s', (...resolution) => {
    expect(existsSync(join(directory, 'node_modules/@types/express'))).toBe(false)
    compile(version, resolution, 'shared', {})
  })

  describe.each([4, 5])('with @types/express %d', (major) => {
    // To node16 these files are what they are to nodenext.
    const paths = { express: [`../node_modules/types-express${major}/index.d.ts`] }
    it.each(resolutions.filter(([name]) => name !== 'node16'))('and moduleResolution %s', (...resolution) => {
      compile(version, resolution, `express${major}`, paths)
    })

    it('handlers that have moved, their text unchanged', () => {
      compile(version, resolutions[0]!, `moved${major}`, paths)
    })
  })
})
