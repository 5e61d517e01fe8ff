// JSON Schema 2020-12 as data: where schemas stand within a schema, and what they refer to.

/** A schema that is an object. The others are `true` and `false`. */
export interface JsonSchema {
  [keyword: string]: unknown
}

const holdMaps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])
const holdLists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const holdOne = new Set([
  'items',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'propertyNames',
  'contentSchema',
  'not',
  'if',
  'then',
  'else',
])

/** True for a schema that is an object. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy, each schema in it as `change` gives it. Values, as those of `const` and `default`, are left alone. */
export function mapSchemas(schema: unknown, change: (schema: JsonSchema) => JsonSchema): unknown {
  if (!isSchema(schema)) return schema
  const inner = (one: unknown): unknown => mapSchemas(one, change)
  const copied = Object.entries(schema).map(([keyword, value]) => {
    if (holdOne.has(keyword)) return [keyword, inner(value)] as const
    if (holdLists.has(keyword) && Array.isArray(value)) return [keyword, value.map(inner)] as const
    if (!holdMaps.has(keyword) || !isSchema(value)) return [keyword, value] as const
    const entries = Object.entries(value).map(([name, one]) => [name, inner(one)] as const)
    // By defining: a property may be called `__proto__`.
    return [keyword, Object.fromEntries(entries)] as const
  })
  return change(Object.fromEntries(copied))
}

/** A copy whose references lead elsewhere. */
export function mapReferences(schema: unknown, change: (reference: string) => string): unknown {
  return mapSchemas(schema, (one) =>
    typeof one['$ref'] === 'string' ? { ...one, $ref: change(one['$ref']) } : one,
  )
}

/** What a schema refers to, itself not followed. */
export function referencesOf(schema: unknown): string[] {
  const found: string[] = []
  mapReferences(schema, (reference) => {
    found.push(reference)
    return reference
  })
  return found
}

/** True for an object with a file among its members, at any depth; `resolve` follows a reference. */
export function hasFile(schema: unknown, resolve: (reference: string) => unknown): boolean {
  const followed = new Set<string>()
  const isFileIn = (one: unknown): boolean => {
    let isFound = false
    mapSchemas(one, (inner) => {
      const { format, contentEncoding, $ref: reference } = inner
      if (format === 'binary' || contentEncoding === 'binary') isFound = true
      if (typeof reference === 'string' && !followed.has(reference)) {
        followed.add(reference)
        if (isFileIn(resolve(reference))) isFound = true
      }
      return inner
    })
    return isFound
  }
  return [...membersOf(schema, resolve).properties.values()].some(isFileIn)
}

/** The members of an object that a schema describes, and whether each has to be there. */
export interface Members {
  readonly properties: Map<string, unknown>
  readonly required: Set<string>
}

/** The members that a schema names, also those of its alternatives and parts; `resolve` follows a reference. */
export function membersOf(
  schema: unknown,
  resolve: (reference: string) => unknown,
  followed: readonly string[] = [],
): Members {
  const members: Members = { properties: new Map(), required: new Set() }
  if (!isSchema(schema)) return members
  const { $ref: reference, properties, required, allOf, anyOf, oneOf } = schema
  const merge = (other: Members, isRequired: (name: string) => boolean): void => {
    for (const [name, property] of other.properties) {
      if (!members.properties.has(name)) members.properties.set(name, property)
    }
    for (const name of other.required) if (isRequired(name)) members.required.add(name)
  }
  if (isSchema(properties)) {
    const names = Array.isArray(required) ? (required as string[]) : []
    merge({ properties: new Map(Object.entries(properties)), required: new Set(names) }, () => true)
  }
  if (typeof reference === 'string' && !followed.includes(reference)) {
    merge(membersOf(resolve(reference), resolve, [...followed, reference]), () => true)
  }
  for (const one of asList(allOf)) merge(membersOf(one, resolve, followed), () => true)
  for (const alternatives of [asList(anyOf), asList(oneOf)]) {
    const all = alternatives.map((one) => membersOf(one, resolve, followed))
    for (const one of all) merge(one, (name) => all.every((other) => other.required.has(name)))
  }
  return members
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
