// Makes a request of the schemas of a route, for `parity`: of JSON Schema, where a schema can be written as that.
import type { Example } from '../documents/example.js'
import type { ControllerOptions } from 'routecontrollers/introspection'
import type { Segment } from '../../../../src/routing/pattern.js'
import type { InputSchemas, StandardSchema } from '../../../../src/ground/standard-schema.js'

type JsonSchema = Readonly<Record<string, unknown>>

/** What stands for `true`, and for `false`, which no value fits. */
const any: JsonSchema = {}

/** The deepest value that is made: a schema may refer to itself. */
const mostLevels = 8

/** A request that fits the schemas of a route; undefined where it has none, or none of them can be written as JSON Schema. */
export function exampleOf({ input }: ControllerOptions, segments: readonly Segment[]): Example | undefined {
  if (input === undefined) return undefined
  const [params, query, headers, body] = (['params', 'query', 'headers', 'body'] as const).map((part) =>
    valueOf(input, part),
  )
  const search = new URLSearchParams(textsOf(query)).toString()
  const hasTarget = params !== undefined || search !== ''
  const example = {
    ...(hasTarget && { url: pathOf(segments, textsOf(params)) + (search && `?${search}`) }),
    ...(headers !== undefined && { headers: textsOf(headers) }),
    ...(body !== undefined && { body }),
  }
  return Object.keys(example).length === 0 ? undefined : example
}

function pathOf(segments: readonly Segment[], params: Readonly<Record<string, string>>): string {
  const parts = segments.map((segment) =>
    segment.kind === 'static'
      ? segment.text
      : encodeURIComponent(params[segment.name] ?? `${segment.name.replace(/\W/g, '') || 'x'}-1`),
  )
  return `/${parts.join('/')}`
}

function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]))
}

function valueOf(input: InputSchemas, part: keyof InputSchemas): unknown {
  const schema = input[part]
  if (schema === undefined) return undefined
  // What text is made into says more of a param or a query than that anything is taken.
  const sides = part === 'body' ? (['input'] as const) : (['output', 'input'] as const)
  for (const side of sides) {
    const json = jsonSchemaOf(schema, side)
    if (json !== undefined) return create(json, json, 0)
  }
  return undefined
}

/** Standard JSON Schema, which zod 4.2 and arktype 2.1.28 and newer speak. */
function jsonSchemaOf(schema: StandardSchema, side: 'input' | 'output'): JsonSchema | undefined {
  const { jsonSchema } = schema['~standard'] as {
    jsonSchema?: Record<typeof side, (options: { target: string }) => JsonSchema>
  }
  try {
    return jsonSchema?.[side]({ target: 'draft-2020-12' })
  } catch {
    // Some of what a schema asks for cannot be written as JSON Schema.
    return undefined
  }
}

function create(schema: JsonSchema, root: JsonSchema, level: number): unknown {
  if (level > mostLevels) return null
  for (const name of ['const', 'default'] as const) if (name in schema) return schema[name]
  for (const name of ['enum', 'examples'] as const) {
    const [first] = (schema[name] as readonly unknown[] | undefined) ?? []
    if (first !== undefined) return first
  }
  const of = (one: unknown): unknown =>
    create(typeof one === 'boolean' ? any : (one as JsonSchema), root, level + 1)
  if (typeof schema['$ref'] === 'string') return of(pointTo(root, schema['$ref']) ?? {})
  const [choice] = ((schema['anyOf'] ?? schema['oneOf']) as readonly unknown[] | undefined) ?? []
  if (choice !== undefined) return of(choice)
  const all = schema['allOf'] as readonly unknown[] | undefined
  if (all !== undefined) return Object.assign({}, ...all.map(of)) as unknown
  const [type] = [schema['type']].flat()
  if (type === 'object') {
    const properties = (schema['properties'] ?? {}) as Readonly<Record<string, unknown>>
    const required = (schema['required'] ?? []) as readonly string[]
    return Object.fromEntries(required.map((name) => [name, of(properties[name] ?? {})]))
  }
  if (type === 'array') {
    return itemsOf(schema).map(of)
  }
  if (type === 'number' || type === 'integer') return numberFor(schema)
  if (type === 'boolean') return true
  return type === 'null' ? null : textFor(schema)
}

/** The schemas of as many items as a list has at least, or of one; of a tuple those of all of it. */
function itemsOf({ prefixItems, items = any, minItems, maxItems }: JsonSchema): readonly unknown[] {
  const first = (prefixItems ?? []) as readonly unknown[]
  const most = items === false ? first.length : Number(maxItems ?? Infinity)
  const least = Number(minItems ?? Math.max(first.length, 1))
  return Array.from({ length: Math.min(least, most) }, (_one, at) => first[at] ?? items)
}

function pointTo(root: JsonSchema, pointer: string): JsonSchema | undefined {
  let found: unknown = root
  for (const key of pointer.split('/').slice(1)) found = (found as JsonSchema | undefined)?.[key]
  return found as JsonSchema | undefined
}

/** 1, or the nearest that fits; 1 where none is found. */
function numberFor(schema: JsonSchema): number {
  const bound = (name: string, usual: number): number => {
    const given = schema[name]
    return typeof given === 'number' ? given : usual
  }
  const [minimum, above] = [bound('minimum', -Infinity), bound('exclusiveMinimum', -Infinity)]
  const [maximum, below] = [bound('maximum', Infinity), bound('exclusiveMaximum', Infinity)]
  const step = bound('multipleOf', 1)
  const [least, most] = [Math.max(minimum, above), Math.min(maximum, below)]
  const [lowest, highest] = [Math.ceil(least / step) * step, Math.floor(most / step) * step]
  const fits = (one: number): boolean => one >= minimum && one > above && one <= maximum && one < below
  const some = [step, lowest, lowest + step, highest, highest - step, (least + most) / 2]
  return some.find(fits) ?? 1
}

const texts: Readonly<Record<string, string>> = {
  email: 'a@example.com',
  uuid: '3b241101-e2bb-4255-8caf-4136c566a962',
  uri: 'https://example.com/',
  date: '2024-01-31',
  'date-time': '2024-01-31T12:00:00Z',
  time: '12:00:00Z',
  ipv4: '192.0.2.1',
}

function textFor({ format, minLength, maxLength }: JsonSchema): string {
  const text = texts[String(format)] ?? 'text'.padEnd(Number(minLength ?? 0), 'x')
  return text.slice(0, Number(maxLength ?? text.length))
}
