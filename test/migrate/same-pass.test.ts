// When a function of an app is the one that a lock knows, and when another one has come in its place.
import { Known, type Passing, type Sameness } from '../../packages/cli/src/documents/same-pass.js'

/** A function of a file, by its text. */
const of = (file: string, more: Partial<Passing> = {}): Passing => ({
  name: 'auth',
  definition: `src/${file}.js:3`,
  source: 'text of auth',
  ...more,
})
const ofPackage = (source: string, more: Partial<Passing> = {}): Passing =>
  of('', { definition: 'node_modules/helmet/index.js:3', source, ...more })
const [old, moved] = [of('old'), of('new')]

describe('a function of the lock and one of the app', () => {
  it.each<[string, Passing[], Passing[], Sameness]>([
    ['are one that has moved to another file', [old], [moved], 'moved'],
    ['are two while the old one is still there', [old], [moved, old], undefined],
    ['are two where the new one was there before', [old, moved], [moved], undefined],
    ['may be two where two files had that text', [old, of('third')], [moved], undefined],
    ['may be two where two files have it now', [old], [moved, of('third')], undefined],
    ['are two where their texts differ', [old], [of('new', { source: 'next()' })], undefined],
    ['are two where their arguments differ', [old], [of('new', { made: 'role' })], undefined],
    ['are two where what they read differs', [old], [of('new', { sourceNames: 'other' })], undefined],
    [
      'are two where they are of two params',
      [of('old', { param: 'id' })],
      [of('new', { param: 'no' })],
      undefined,
    ],
    ['are one in another line', [old], [of('old', { definition: 'src/old.js:30' })], 'same'],
    ['are two where a text of the project is another one', [old], [of('old', { source: 'x' })], undefined],
    ['are one of another version of a package', [ofPackage('1')], [ofPackage('2')], 'updated'],
    [
      'are two while the old version is still there',
      [ofPackage('1')],
      [ofPackage('2'), ofPackage('1')],
      undefined,
    ],
    [
      'are two where the new version was there before',
      [ofPackage('1'), ofPackage('2')],
      [ofPackage('2')],
      undefined,
    ],
    ['are two names of a package', [ofPackage('1')], [ofPackage('2', { name: 'csp' })], undefined],
    ['are two arguments of a package', [ofPackage('1')], [ofPackage('2', { made: 'off' })], undefined],
    ['may be two where nothing told of the old one', [of('old', { unverifiable: true })], [old], undefined],
  ])('%s', (_what, before, now, sameness) => {
    expect(new Known(before, now).sameness(before[0]!, now[0]!)).toBe(sameness)
  })
})
