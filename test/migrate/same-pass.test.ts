// When a function of an app is the one that a lock knows, and when another one has come in its place.
import { appsNow, placedRows } from '../../packages/cli/src/documents/same-app.js'
import {
  former,
  formerPasses,
  howChanged,
  Known,
  type Passing,
  type Sameness,
} from '../../packages/cli/src/documents/same-pass.js'
import type { RouteRow } from '../../packages/cli/src/documents/inventory.js'

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
    ['are two where one handles errors', [old], [of('old', { kind: 'error' })], undefined],
    ['are two where one did', [of('old', { kind: 'error' })], [old], undefined],
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
    // Of one whose text cannot be read the name is all that is known.
    [
      'are two where a package has no text for the new one',
      [ofPackage('1', { name: '<anonymous>' })],
      [ofPackage('2', { source: undefined })],
      undefined,
    ],
    [
      'are one of a package that an older lock has no name of',
      [ofPackage('1', { name: '<anonymous>' })],
      [ofPackage('2')],
      'updated',
    ],
    ['may be two where nothing told of the old one', [of('old', { unverifiable: true })], [old], undefined],
  ])('%s', (_what, before, now, sameness) => {
    expect(new Known(before, now).sameness(before[0]!, now[0]!)).toBe(sameness)
  })
})

describe('a function that has changed', () => {
  const of1 = (more: Partial<Passing>): Passing => of('auth', more)
  it.each<[string, Partial<Passing>, Partial<Passing>, string]>([
    ['which could not be read', { unverifiable: true }, { argument: "'admin'" }, 'unknown'],
    ['by its argument', { argument: "'user'", made: '1' }, { argument: "'admin'", made: '2' }, 'argument'],
    [
      'by an argument that is not shown',
      { argument: "'[redacted]'", made: '1' },
      { argument: "'[redacted]'", made: '2' },
      'argument',
    ],
    [
      'by what its argument stands for',
      { argument: 'role', made: '1' },
      { argument: 'role', made: '2' },
      'value',
    ],
    ['by what the names of that stand for', { madeNames: '1' }, { madeNames: '2' }, 'value'],
    ['by what it reads', { sourceNames: '1' }, { sourceNames: '2' }, 'reads'],
    ['by its text', {}, { source: 'another text' }, 'text'],
  ])('is told of so: %s', (_how, was, is, expected) => {
    expect(howChanged(of1(was), of1(is))).toBe(expected)
  })

  it('is known by a lock of an older version as that knew it', () => {
    const pass = of1({
      formerSource: 'former text',
      argument: 'guards[0][1]',
      made: 'hash',
      sourceNames: 'names',
      madeNames: 'more names',
    })
    expect(former(pass, 3)).toEqual(pass)
    expect(former(pass, 2)).toEqual({ ...pass, sourceNames: undefined, madeNames: undefined })
    expect(former(pass, 1)).toEqual({
      ...pass,
      source: 'former text',
      made: 'guards',
      sourceNames: undefined,
      madeNames: undefined,
    })
    const error = of1({ kind: 'error' })
    expect([3, 4].map((version) => formerPasses([pass, error], version).length)).toEqual([1, 2])
  })
})

describe('the apps of an entry', () => {
  const row = (app: number, path: string, source = path, behind?: string): RouteRow =>
    ({
      ...{ kind: 'route', app, method: 'GET', path },
      own: { source, ...(behind !== undefined && { behind: [{ source: behind }] }) },
    }) as unknown as RouteRow
  const now = (before: RouteRow[], after: RouteRow[], apps = 2): readonly number[] =>
    appsNow(placedRows(before), placedRows(after), apps)

  it('are found by their routes and by their handlers, each once', () => {
    const [a, b] = [row(0, '/a'), row(1, '/b')]
    expect(now([a, b], [row(1, '/a'), row(0, '/b')])).toEqual([1, 0])
    expect(now([row(0, '/', 'one'), row(1, '/', 'two')], [row(0, '/', 'two'), row(1, '/', 'one')])).toEqual([
      1, 0,
    ])
    expect(now([row(0, '/', 'one'), row(1, '/', 'one')], [row(0, '/', 'one'), row(1, '/', 'one')])).toEqual([
      0, 1,
    ])
    // The one with most of the routes is the other one's.
    expect(
      now([row(0, '/a'), row(1, '/a'), row(1, '/b')], [row(0, '/c'), row(1, '/a'), row(1, '/b')]),
    ).toEqual([0, 1])
    // Of two that have it, that of its number.
    expect(now([row(1, '/a')], [row(0, '/a'), row(1, '/a')])).toEqual([0, 1])
    // A native callback stands before the handler by which it is known.
    const moved = [row(0, '/', 'x', 'two'), row(1, '/', 'y', 'one')]
    expect(now([row(0, '/', 'one'), row(1, '/', 'two')], moved)).toEqual([1, 0])
  })

  it('are looked for in the first where they have gone', () => {
    expect(now([row(0, '/a'), row(1, '/b')], [row(0, '/a')], 1)).toEqual([0, 0])
    // Another app, with none of its routes, is not it.
    expect(now([row(0, '/a'), row(1, '/b')], [row(0, '/b'), row(1, '/c')])).toEqual([0, 0])
  })
})
