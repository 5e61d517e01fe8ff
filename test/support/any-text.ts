import fc from 'fast-check'

const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point))

/**
 * Strings of any characters, and now and then a name that objects have from their prototypes. As `fc.string({ unit: 'binary' })`,
 * which makes a table of all characters first: a second in each file of tests.
 */
export function anyText(constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Infinity } = constraints
  const names = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'then',
    'key',
    'ref',
    '__defineGetter__',
  ]
  const fitting = names.filter(({ length }) => length >= minLength && length <= maxLength)
  const text = fc.string({ ...constraints, unit: character })
  return fitting.length === 0
    ? text
    : fc.oneof({ weight: 20, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...fitting) })
}
