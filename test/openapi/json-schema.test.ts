import { mapSchemas, membersOf, referencesOf } from '../../src/openapi/json-schema.js'

const reference = { $ref: '#/$defs/a' }

const holding: readonly (readonly [keyword: string, value: unknown])[] = [
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs'].map(
    (name) => [name, { of: reference }] as const,
  ),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, [true, reference]] as const),
  ...'items additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames contentSchema not if then else'
    .split(' ')
    .map((name) => [name, reference] as const),
]

it.each(holding)('schemas stand in %s', (keyword, value) => {
  expect(referencesOf({ [keyword]: value })).toEqual(['#/$defs/a'])
})

it.each(['const', 'default', 'enum', 'examples', 'example'])('what stands in %s is a value', (keyword) => {
  const schema = { [keyword]: keyword === 'enum' ? [reference] : reference }
  expect(referencesOf(schema)).toEqual([])
  expect(mapSchemas(schema, (one) => ({ ...one, seen: true }))).toEqual({ ...schema, seen: true })
})

it('a member has to be there where each alternative, or any part, needs it', () => {
  const of = (...required: string[]): object => ({ properties: { a: {}, b: {} }, required })
  const requiredOf = (schema: object): string[] => [...membersOf(schema, () => of('b')).required]
  expect(requiredOf({ anyOf: [of('a', 'b'), of('a')] })).toEqual(['a'])
  expect(requiredOf({ oneOf: [of('a'), of('b')] })).toEqual([])
  expect(requiredOf({ allOf: [of('a'), of('b')] })).toEqual(['a', 'b'])
  expect(requiredOf({ ...of('a'), $ref: '#/$defs/x' })).toEqual(['a', 'b'])
})
