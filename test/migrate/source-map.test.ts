// What is read of a source map, wherever a compiler has written it.
import { readMap, resolveSource } from '../../packages/cli/src/syntax/source-map.js'

const map = (more: object = {}): object => ({
  ...{ version: 3, sources: ['tea cup.ts'], sourcesContent: ['const tea = 1'], names: [], mappings: 'AAAA' },
  ...more,
})
const inline = (value: unknown): string =>
  `data:application/json,${encodeURIComponent(JSON.stringify(value))}`
const packed = (value: unknown): string =>
  `data:application/json;charset=utf-8;base64,${Buffer.from(JSON.stringify(value)).toString('base64')}`

it.each([
  ['as text', inline],
  ['as base64', packed],
])('a map that stands in its file is read, %s', (_how, urlOf) => {
  expect(readMap('/dist/a.js', urlOf(map()))?.payload).toMatchObject({
    sources: ['tea cup.ts'],
    sourcesContent: ['const tea = 1'],
  })
})

it.each([
  ['src', 'src/tea cup.ts'],
  ['src/', 'src/tea cup.ts'],
  ['', 'tea cup.ts'],
  [undefined, 'tea cup.ts'],
])('the root %j stands before each source', (sourceRoot, source) => {
  expect(readMap('/dist/a.js', inline(map({ sourceRoot })))?.payload.sources).toEqual([source])
})

it('a root stands before no whole address', () => {
  const sources = ['/src/a.ts', 'webpack://app/a.ts', 'a.ts']
  const found = readMap('/dist/a.js', inline(map({ sourceRoot: 'root', sources })))
  expect(found?.payload.sources).toEqual(['/src/a.ts', 'webpack://app/a.ts', 'root/a.ts'])
})

it.each<unknown>([null, [], { version: 3 }, map({ sources: [null] }), map({ mappings: 7 })])(
  'what is no map is none: %j',
  (value) => {
    expect(readMap('/dist/a.js', inline(value))).toBeUndefined()
  },
)

it('a source stands beside its map, and a name of a bundler is no file', () => {
  expect(resolveSource('/app/dist/a.js', 'maps/a.js.map', '../../src/a.ts')).toBe('/app/src/a.ts')
  expect(resolveSource('/app/dist/a.js', inline(map()), '../src/a.ts')).toBe('/app/src/a.ts')
  expect(resolveSource('/app/dist/a.js', undefined, 'webpack://app/a.ts')).toBe('webpack://app/a.ts')
})
