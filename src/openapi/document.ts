import { routesOfApp } from '../define/app-routes.js'
import { findBuiltin } from '../ground/builtin.js'
import type { RouteDescription } from '../define/describe-routes.js'
import type { SecurityRequirements } from '../define/guard-notes.js'
import { checkArgument, wrongOption } from '../ground/options.js'
import type { InputSchemas, StandardSchema } from '../ground/standard-schema.js'
import { isBodiless } from '../answer/web-response.js'
import { Components } from './components.js'
import { type Entry, placeRoutes } from './entries.js'
import { hasFile, isSchema, type JsonSchema, membersOf } from './json-schema.js'
import { checkOpenApiOptions, type OpenApiOptions } from './options.js'
import type { ExpressApp, HasRoutes, OpenApiDocument, OpenApiOperation, OpenApiParameter } from './types.js'

/**
 * Makes an OpenAPI 3.1 document of some routes, as an object for `JSON.stringify`: those of RouteControllers, or the native callbacks of
 * an app of Express.
 *
 * Schemas become JSON Schema by Standard JSON Schema. Those of `input` describe what they accept, those of `output` what they
 * return. Throws ERR_OPENAPI_SCHEMA for a schema without JSON Schema, ERR_ROUTE_CONFLICT for two operations with one
 * `operationId`, and ERR_OPTION_INVALID.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers } from 'routecontrollers'
 * import { openApi } from 'routecontrollers/openapi'
 *
 * const user = new Controller('GET', '/users/:id', (req) => req.params.id, { name: 'getUser' })
 * const document = openApi(new RouteControllers([user]), { info: { title: 'Users', version: '1.0.0' } })
 * console.log(document.paths['/users/{id}']?.['get']?.operationId) // getUser
 * ```
 */
export function openApi(routeControllers: HasRoutes | ExpressApp, options: OpenApiOptions): OpenApiDocument {
  const routes = routesOf(routeControllers)
  const wanted = 'RouteControllers, or an app of Express with native callbacks'
  checkArgument('openApi', wanted, routeControllers, routes !== undefined)
  checkOpenApiOptions('openApi', options)
  const { info, servers, security, securitySchemes, onLeftOut = () => {} } = options
  const entries = placeRoutes(routes!, onLeftOut)
  checkSecurity(entries, options)

  const schemas = new Schemas(entries, options.errors)
  // The answers first: where a schema returns something else than it accepts, the name is for what it returns.
  const responses = entries.map((entry) => schemas.responsesOf(entry))
  const inputs = entries.map((entry) => schemas.inputOf(entry))
  const paths: OpenApiDocument['paths'] = {}
  entries.forEach((entry, at) => {
    const { method, template, route } = entry
    const operation = { ...notesOf(entry), ...inputs[at], responses: responses[at]! }
    if (hasInput(route.input)) schemas.addRefusal(operation, route)
    schemas.addGuards(operation, entry)
    const item = (paths[template.path] ??= {})
    item[method] = operation
  })

  const tags = tagsOf(entries, options)
  const components = {
    ...(schemas.named.size > 0 && { schemas: Object.fromEntries(schemas.named) }),
    ...(securitySchemes && { securitySchemes }),
  }
  const document = {
    openapi: '3.1.0',
    info,
    ...(servers && { servers }),
    ...(security && { security }),
    ...(tags.length > 0 && { tags }),
    paths,
    ...(Object.keys(components).length > 0 && { components }),
  }
  // A copy: a change in it changes no route and no option.
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument
}

/** The routes of RouteControllers or of an app; undefined for anything else. */
function routesOf(of: unknown): readonly RouteDescription[] | undefined {
  return ownRoutesOf(of) ?? routesOfApp(of)?.routes
}

function ownRoutesOf(of: unknown): readonly RouteDescription[] | undefined {
  const routes = (of as Partial<HasRoutes> | null | undefined)?.routes
  return Array.isArray(routes) ? (routes as readonly RouteDescription[]) : undefined
}

/** A number that is another one where routes were added; undefined for what has none. */
export function sizeOf(of: unknown): number | undefined {
  return ownRoutesOf(of)?.length ?? routesOfApp(of)?.size
}

const partsInParameters = [
  ['query', 'query'],
  ['headers', 'header'],
  ['cookies', 'cookie'],
] as const

/** Headers that OpenAPI describes elsewhere: as parameters they are ignored (OpenAPI 3.1, "Parameter Object"). */
const headersElsewhere = ['accept', 'content-type', 'authorization']

/** Makes the parts of operations that schemas describe, and keeps the schemas that have names. */
class Schemas {
  readonly #components = new Components()
  readonly #uses = new Map<object, number>()
  readonly #errors: OpenApiOptions['errors']
  #problem: unknown

  constructor(entries: readonly Entry[], errors: OpenApiOptions['errors']) {
    this.#errors = errors
    for (const { route } of entries) {
      const answers = route.guards.flatMap((guard) => Object.values(guard.answers ?? {}))
      for (const schema of [route.input?.body, ...Object.values(route.output ?? {}), ...answers]) {
        if (schema === undefined || typeof schema === 'string') continue
        this.#uses.set(schema, (this.#uses.get(schema) ?? 0) + 1)
      }
    }
  }

  get named(): ReadonlyMap<string, unknown> {
    return this.#components.schemas
  }

  responsesOf({ route, where, operationId }: Entry): OpenApiOperation['responses'] {
    const responses: OpenApiOperation['responses'] = {}
    for (const [status, schema] of Object.entries(route.output ?? {})) {
      if (schema === undefined) continue
      const described = { description: descriptionOf(Number(status)) }
      if (isBodiless(Number(status))) responses[status] = described
      else {
        const suggested = capitalize(operationId) + status
        const json = this.#add(schema, 'output', `${where}: output.${status}`, suggested)
        responses[status] = { ...described, content: { [this.#typeOf(json)]: { schema: json } } }
      }
    }
    if (Object.keys(responses).length === 0)
      responses['default'] = { description: 'An answer without a schema' }
    return responses
  }

  inputOf(entry: Entry): Pick<OpenApiOperation, 'parameters' | 'requestBody'> {
    const { route, where, operationId } = entry
    const parameters = [
      ...this.#paramsOf(entry),
      ...partsInParameters.flatMap(([part, place]) => this.#fieldsOf(entry, part, place)),
    ]
    const body = route.input?.body
    const json = body && this.#add(body, 'input', `${where}: input.body`, `${capitalize(operationId)}Body`)
    // JSON has no files.
    const type = hasFile(json, this.#components.resolve) ? 'multipart/form-data' : this.#typeOf(json)
    return {
      ...(parameters.length > 0 && { parameters }),
      ...(body && {
        // Only the code of the schema decides whether a body may be missing. It is not run for a document, because it may do
        // anything.
        requestBody: { required: true, content: { [type]: { schema: json } } },
      }),
    }
  }

  /** The type of a body that fits a schema, and of an answer. */
  #typeOf(json: unknown): string {
    const { resolve } = this.#components
    const inner = isSchema(json) && typeof json['$ref'] === 'string' ? resolve(json['$ref']) : json
    // A JSON body is an object or an array. The body of a text is one of `text/*`, and a text that a callback returns is sent as one.
    return isSchema(inner) && inner['type'] === 'string' ? 'text/plain' : 'application/json'
  }

  /** Adds the answer to input that a schema refuses, as `onError` sends it where there is one. */
  addRefusal({ responses }: OpenApiOperation, { refusedStatus, hasOnError }: RouteDescription): void {
    const errors = this.#errors ?? (hasOnError ? undefined : 'problem')
    const description = 'The input does not fit'
    if (errors === undefined) {
      // Nothing is known of it but what the route itself declares.
      if (responses[refusedStatus]?.content === undefined) {
        addAnswer(responses, refusedStatus, description, 'application/json', {})
      }
    } else if (errors === 'problem') {
      this.#problem ??= this.#components.addOwn('Problem', problem)
      addAnswer(responses, refusedStatus, description, 'application/problem+json', this.#problem)
    } else {
      const { schema, type = 'application/json' } = '~standard' in errors ? { schema: errors } : errors
      const json = this.#components.add(schema, 'output', 'openApi: errors', 'Error', true)
      addAnswer(responses, refusedStatus, description, type, json)
    }
  }

  /** Adds what the guards of a route answer. */
  addGuards({ responses }: OpenApiOperation, { route, where }: Entry): void {
    for (const { answers = {} } of route.guards) {
      for (const [status, answer] of Object.entries(answers)) {
        const code = Number(status)
        if (typeof answer === 'string') addAnswer(responses, code, answer)
        else {
          const json = this.#add(answer, 'output', `${where}: answers.${status} of a guard`, `Error${status}`)
          addAnswer(responses, code, descriptionOf(code), this.#typeOf(json), json)
        }
      }
    }
  }

  #add(schema: StandardSchema, direction: 'input' | 'output', where: string, suggested: string): unknown {
    return this.#components.add(schema, direction, where, suggested, this.#uses.get(schema)! > 1)
  }

  #paramsOf(entry: Entry): OpenApiParameter[] {
    const { properties } = this.#membersOf(entry, 'params')
    return entry.template.params.map(({ name, shown, isRest }): OpenApiParameter => ({
      name: shown,
      in: 'path',
      required: true,
      ...(isRest && {
        description: 'The rest of the path. It may have slashes, which OpenAPI has no form for.',
      }),
      ...asParameter(properties.get(name) ?? { type: 'string' }),
    }))
  }

  #fieldsOf(
    entry: Entry,
    part: 'query' | 'headers' | 'cookies',
    place: 'query' | 'header' | 'cookie',
  ): OpenApiParameter[] {
    const { properties, required, others } = this.#membersOf(entry, part)
    const fields = [...properties].map(([name, schema]): OpenApiParameter => ({
      name,
      in: place,
      ...(required.has(name) && { required: true }),
      ...asParameter(schema),
    }))
    if (place === 'header') return fields.filter(({ name }) => !headersElsewhere.includes(name.toLowerCase()))
    // Fields of any name: to be said of a query alone.
    if (place !== 'query' || others === undefined) return fields
    const schema = { type: 'object', additionalProperties: others }
    return [
      ...fields,
      { name: unusedName('fields', properties), in: place, style: 'form', explode: true, schema },
    ]
  }

  #membersOf({ route, where, operationId }: Entry, part: keyof InputSchemas) {
    const schema = route.input?.[part]
    if (schema === undefined)
      return { properties: new Map<string, unknown>(), required: new Set<string>(), others: undefined }
    const suggested = capitalize(operationId) + capitalize(part)
    const json = this.#components.addUnnamed(schema, `${where}: input.${part}`, suggested)
    const others =
      isSchema(json) && isSchema(json['additionalProperties']) ? json['additionalProperties'] : undefined
    return { ...membersOf(json, this.#components.resolve), others }
  }
}

/** Adds an answer to those of its status: a status that several parts of a route send may have several schemas. */
function addAnswer(
  responses: OpenApiOperation['responses'],
  status: number,
  description: string,
  type?: string,
  schema?: unknown,
): void {
  const { description: known = description, content } = responses[status] ?? {}
  responses[status] = { description: known, ...(content && { content }) }
  if (type === undefined) return
  const earlier = content?.[type] === undefined ? [] : alternativesIn(content[type].schema)
  const isKnown = earlier.some((one) => JSON.stringify(one) === JSON.stringify(schema))
  const all = isKnown ? earlier : [...earlier, schema]
  responses[status].content = { ...content, [type]: { schema: all.length === 1 ? all[0] : { anyOf: all } } }
}

function alternativesIn(schema: unknown): readonly unknown[] {
  const isUnion = isSchema(schema) && Object.keys(schema).length === 1 && Array.isArray(schema['anyOf'])
  return isUnion ? (schema['anyOf'] as readonly unknown[]) : [schema]
}

function unusedName(name: string, taken: ReadonlyMap<string, unknown>): string {
  return taken.has(name) ? unusedName(`${name}_`, taken) : name
}

/** A schema as that of a parameter, whose description and deprecation stand beside it. */
function asParameter(json: unknown): Pick<OpenApiParameter, 'description' | 'deprecated' | 'schema'> {
  if (!isSchema(json)) return { schema: json }
  const { description, deprecated, ...schema } = json
  return {
    ...(typeof description === 'string' && { description }),
    ...(deprecated === true && { deprecated }),
    schema,
  }
}

function notesOf({ route, operationId }: Entry): Omit<OpenApiOperation, 'responses'> {
  const { summary, description, tags, deprecated } = route.options
  const security = securityOf(route)
  return {
    operationId,
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(tags && { tags: [...new Set(tags)] }),
    ...(deprecated && { deprecated }),
    ...(security && { security: security as Record<string, string[]>[] }),
  }
}

/** What a request needs: what the route says, else one requirement of each of its guards. */
function securityOf({ options, guards }: RouteDescription): SecurityRequirements | undefined {
  if (options.security !== undefined) return options.security
  const asked = guards.flatMap(({ security = [] }) => (security.length === 0 ? [] : [security]))
  if (asked.length === 0) return undefined
  return asked.reduce((all, more) => all.flatMap((one) => more.map((other) => mergeRequirements(one, other))))
}

type Requirement = SecurityRequirements[number]

function mergeRequirements(one: Requirement, other: Requirement): Requirement {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  // By defining: a scheme may be called `__proto__`.
  return Object.fromEntries(
    names.map((name) => {
      const scopes = [one, other].flatMap((from) => (Object.hasOwn(from, name) ? from[name]! : []))
      return [name, [...new Set(scopes)]]
    }),
  )
}

function hasInput(input: InputSchemas | undefined): boolean {
  return Object.values(input ?? {}).some((schema) => schema !== undefined)
}

function descriptionOf(status: number): string {
  return findBuiltin('node:http')?.STATUS_CODES[status] ?? `Status ${status}`
}

/** Tags as they are declared, then those that routes alone name. */
function tagsOf(entries: readonly Entry[], { tags = [] }: OpenApiOptions): { name: string }[] {
  const declared = new Set(tags.map(({ name }) => name))
  const named = new Set(entries.flatMap(({ route }) => route.options.tags ?? []))
  return [...tags, ...[...named].filter((name) => !declared.has(name)).map((name) => ({ name }))]
}

/** Throws ERR_OPTION_INVALID for a requirement that names no security scheme: a client could not meet it. */
function checkSecurity(
  entries: readonly Entry[],
  { security = [], securitySchemes = {} }: OpenApiOptions,
): void {
  const check = (owner: string, requirements: readonly object[]): void => {
    for (const name of requirements.flatMap((requirement) => Object.keys(requirement))) {
      if (Object.hasOwn(securitySchemes, name)) continue
      throw wrongOption(`${owner}: security`, `names of securitySchemes`, JSON.stringify(name))
    }
  }
  check('openApi', security)
  for (const { route, where } of entries) {
    check(where, route.options.security ?? [])
    for (const guard of route.guards) check(`${where}, a guard`, guard.security ?? [])
  }
}

function capitalize(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

/** The answer to refused input (RFC 9457), as `error-answer.ts` makes it. */
const problem: JsonSchema = {
  type: 'object',
  description: 'Why a request is refused (RFC 9457)',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          in: { type: 'string', enum: ['params', 'query', 'headers', 'cookies', 'body'] },
          path: { type: 'string', description: 'Where in it, as a JSON pointer (RFC 6901)' },
          message: { type: 'string' },
        },
        required: ['in', 'path', 'message'],
      },
    },
  },
  required: ['type', 'title', 'status'],
}
