import { RouteControllersError } from '../ground/errors.js'
import type { StandardSchema } from '../ground/standard-schema.js'
import { isSchema, type JsonSchema, mapReferences, mapSchemas, referencesOf } from './json-schema.js'

/** Whether a JSON Schema describes what a schema accepts or what it returns. */
export type Direction = 'input' | 'output'

/** The part of Standard JSON Schema (https://standardschema.dev/json-schema) that is needed here. */
interface JsonSchemaSource {
  readonly vendor: string
  readonly jsonSchema?: Partial<Record<Direction, (options: { target: string }) => unknown>>
}

/** A JSON Schema with the definitions that it refers to, by the names that its library has given them. */
interface Converted {
  readonly root: unknown
  readonly definitions: ReadonlyMap<string, unknown>
  readonly title: string | undefined
}

const prefix = '#/components/schemas/'

/** Names of definitions that a library has generated, because it needs one and none was given. */
const madeUp = /^(?:__schema|alias|domain|intersection|morph|proto|sequence|structure|union|unit)\d+$/

/** The schemas of a document that have names. One that is used in several places, or refers to itself, has one too. */
export class Components {
  readonly schemas: Map<string, unknown> = new Map<string, unknown>()
  /** The content of each name, to distinguish another schema of the same name from the same schema. */
  readonly #contents = new Map<string, string>()
  readonly #made = new Map<object, Partial<Record<Direction, unknown>>>()

  /**
   * The schema as it stands in the document: a reference where it has a name, or where `isShared` and it gets `suggested` for one.
   *
   * @throws RouteControllersError `ERR_OPENAPI_SCHEMA`, with `where` in its message
   */
  add(
    schema: StandardSchema,
    direction: Direction,
    where: string,
    suggested: string,
    isShared: boolean,
  ): unknown {
    const made = this.#made.get(schema) ?? {}
    this.#made.set(schema, made)
    return (made[direction] ??= this.#place(
      convert(schema, direction, where),
      direction,
      suggested,
      isShared,
    ))
  }

  /**
   * The schema itself, without a name of its own, for a schema whose members are read. Schemas that it refers to keep their
   * names.
   */
  addUnnamed(schema: StandardSchema, where: string, suggested: string): unknown {
    const { root, definitions } = convert(schema, 'input', where)
    const named = isSchema(root) ? definitionOf(root['$ref']) : undefined
    const inner = named === undefined ? root : definitions.get(named)
    return this.#place({ root: inner, definitions, title: undefined }, 'input', suggested, false)
  }

  /** Adds a schema of this package to the document, under a free name. */
  addOwn(name: string, schema: JsonSchema): unknown {
    const taken = this.#claim(name, 'output', JSON.stringify(schema))
    this.schemas.set(taken, schema)
    return { $ref: prefix + taken }
  }

  /** The schema to which a reference leads. */
  resolve = (reference: string): unknown =>
    reference.startsWith(prefix) ? this.schemas.get(unescape(reference.slice(prefix.length))) : undefined

  #place(converted: Converted, direction: Direction, suggested: string, isShared: boolean): unknown {
    const definitions = new Map(converted.definitions)
    let { root } = converted
    const isReference = isSchema(root) && definitionOf(root['$ref']) !== undefined
    const refersToItself = [root, ...definitions.values()].some((one) => referencesOf(one).some(isIntoRoot))
    const wanted = new Map<string, string>()
    if (!isReference && (converted.title !== undefined || isShared || refersToItself)) {
      // The root becomes a definition like the others, so that a schema is the same wherever it stands.
      const name = converted.title ?? suggested
      let key = name
      while (definitions.has(key)) key += '_'
      wanted.set(key, name)
      const toKey = (reference: string): string =>
        isIntoRoot(reference) ? `#/$defs/${escape(key)}${reference.slice(1)}` : reference
      for (const [at, one] of definitions) definitions.set(at, mapReferences(one, toKey))
      definitions.set(key, mapReferences(root, toKey))
      root = { $ref: `#/$defs/${escape(key)}` }
    }
    const names = new Map<string, string>()
    const added: string[] = []
    const reachable = reach(root, definitions)
    for (const key of reachable) {
      const base = wanted.get(key) ?? (madeUp.test(key) ? `${suggested}Part` : key)
      const content = JSON.stringify(
        [key, ...reach(definitions.get(key), definitions)].map((one) => [one, definitions.get(one)]),
      )
      const before = this.#contents.size
      const name = this.#claim(base, direction, content)
      names.set(key, name)
      if (this.#contents.size > before) added.push(key)
    }
    const toComponent = (reference: string): string => {
      const [, key = ''] = /^#\/\$defs\/([^/]*)/.exec(reference) ?? []
      const name = names.get(unescape(key))
      return name === undefined ? reference : prefix + name + reference.slice('#/$defs/'.length + key.length)
    }
    for (const key of added) {
      this.schemas.set(names.get(key)!, mapReferences(definitions.get(key), toComponent))
    }
    return mapReferences(root, toComponent)
  }

  /** A name for this content: the one that it has, else `base`, with more behind it where that stands for something else. */
  #claim(base: string, direction: Direction, content: string): string {
    const clean = base.replace(/[^\w.-]+(\w?)/g, (_, next: string) => next.toUpperCase()) || 'Schema'
    const withDirection = clean + (direction === 'input' ? 'Input' : 'Output')
    for (let count = 0; ; count++) {
      const name = count === 0 ? clean : count === 1 ? withDirection : `${withDirection}${count}`
      const known = this.#contents.get(name)
      if (known === undefined) this.#contents.set(name, content)
      if (known === undefined || known === content) return name
    }
  }
}

/** The definitions that a schema leads to. */
function reach(schema: unknown, definitions: ReadonlyMap<string, unknown>): string[] {
  const found = new Set<string>()
  const follow = (one: unknown): void => {
    for (const reference of referencesOf(one)) {
      const key = definitionOf(reference)
      if (key === undefined || found.has(key) || !definitions.has(key)) continue
      found.add(key)
      follow(definitions.get(key))
    }
  }
  follow(schema)
  return [...found]
}

/** True for a reference to the root, or to a part of it that is no definition. */
function isIntoRoot(reference: string): boolean {
  return reference === '#' || (reference.startsWith('#/') && definitionOf(reference) === undefined)
}

/** The definition that a reference leads to, or into. */
function definitionOf(reference: unknown): string | undefined {
  const found = typeof reference === 'string' ? /^#\/\$defs\/([^/]*)/.exec(reference) : null
  return found === null ? undefined : unescape(found[1]!)
}

// RFC 6901, in a URI.
function escape(key: string): string {
  return encodeURIComponent(key.replace(/~/g, '~0').replace(/\//g, '~1'))
}

function unescape(key: string): string {
  try {
    return decodeURIComponent(key).replace(/~1/g, '/').replace(/~0/g, '~')
  } catch {
    return key
  }
}

function convert(schema: StandardSchema, direction: Direction, where: string): Converted {
  const json = jsonOf(schema, direction, where)
  if (direction === 'output') {
    try {
      allowMore(json, jsonOf(schema, 'input', where))
    } catch {
      // Its input has no JSON Schema, so nothing is known of it.
    }
  }
  if (!isSchema(json)) return { root: json, definitions: new Map(), title: undefined }
  const { $id: id, title } = json
  // An `$id` would make another document of it, in which no reference to this one is found.
  const { $defs: definitions = {}, ...root } = mapSchemas(
    json,
    ({ $id: _id, $schema: _schema, ...rest }) => rest,
  ) as JsonSchema
  const named =
    typeof id === 'string'
      ? id
          .replace(/[#?].*$/, '')
          .split('/')
          .at(-1)
      : undefined
  return {
    root,
    definitions: new Map(Object.entries(definitions as object)),
    title: named || (typeof title === 'string' && title !== '' ? title : undefined),
  }
}

function jsonOf(schema: StandardSchema, direction: Direction, where: string): unknown {
  const { vendor, jsonSchema } = schema['~standard'] as unknown as JsonSchemaSource
  const make = jsonSchema?.[direction]
  if (typeof make !== 'function') {
    throw new RouteControllersError(
      'ERR_OPENAPI_SCHEMA',
      `${where} has a schema of ${String(vendor)} that gives no JSON Schema. zod gives it from 4.2 on, arktype from 2.1.28 on. Wrap a schema of valibot with toStandardJsonSchema of @valibot/to-json-schema. For other libraries look for Standard JSON Schema in their documentation`,
    )
  }
  let text: string | undefined
  let cause: unknown
  try {
    text = JSON.stringify(make.call(jsonSchema, { target: 'draft-2020-12' }))
  } catch (error) {
    cause = error
  }
  const json: unknown = text === undefined ? undefined : JSON.parse(text)
  if (typeof json === 'boolean' || isSchema(json)) return json
  throw new RouteControllersError(
    'ERR_OPENAPI_SCHEMA',
    `${where} has a schema of ${String(vendor)} that cannot be written as JSON Schema${cause instanceof Object && 'message' in cause ? ` (${String(cause.message)})` : ''}. Write a schema of the JSON that is sent (a string in ISO 8601 for a date), or leave the route out with hidden: true`,
    { cause },
  )
}

/**
 * Removes `additionalProperties: false` from the schema of an output where the schema of the input does not have it. A schema
 * that drops members describes its output so, but answers are only checked: no member is dropped from them.
 */
function allowMore(output: unknown, input: unknown): void {
  if (Array.isArray(output) && Array.isArray(input)) output.forEach((one, at) => allowMore(one, input[at]))
  if (!isSchema(output) || !isSchema(input)) return
  if (output['additionalProperties'] === false && input['additionalProperties'] === undefined) {
    delete output['additionalProperties']
  }
  for (const [name, value] of Object.entries(output)) {
    allowMore(value, Object.hasOwn(input, name) ? input[name] : undefined)
  }
}
