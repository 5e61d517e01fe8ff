import { toStandardJsonSchema } from '@valibot/to-json-schema'
import {
  type AnyController,
  Controller,
  type ControllerOptions,
  describeGuard,
  group,
  guard,
  RouteControllers,
} from 'routecontrollers'
import { expressPath, fromExpress } from 'routecontrollers/express'
import { type LeftOutRoute, openApi, type OpenApiOptions } from 'routecontrollers/openapi'
import * as v from 'valibot'
import { z } from 'zod'
import { toTemplate } from '../../src/openapi/path-template.js'
import { nativeRequire } from '../support/native-require.js'
import { lint } from './lint.js'

const { type } = nativeRequire('arktype') as typeof import('arktype')
const info = { title: 'Test', version: '1.0.0' }
const answer = () => new Response()

interface Described {
  properties: Record<string, { items?: Described }>
  required: string[]
}

function documentOf(list: AnyController[], options: Partial<OpenApiOptions> = {}) {
  return openApi(new RouteControllers(list), { info, ...options })
}
const bodyOf = (schema: unknown) => ({ 'application/json': { schema } })
const textOf = (schema: unknown) => ({ 'text/plain': { schema } })
const refusal = {
  description: 'The input does not fit',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

describe('openApi', () => {
  it('writes the root as a path of its own', () => {
    const { paths } = documentOf([new Controller('GET', '/', answer)])
    expect(Object.entries(paths).map(([path, { get }]) => [path, get!.operationId])).toEqual([
      ['/', 'getRoot'],
    ])
  })

  it('writes a route with its notes, input and answers', async () => {
    const document = documentOf(
      [
        new Controller('PUT', '/users/:id', answer, {
          name: 'putUser',
          summary: 'Changes a user',
          description: 'All of it',
          tags: ['users', 'users'],
          deprecated: true,
          security: [{ bearer: [] }],
          input: {
            params: z.object({ id: z.coerce.number().int().min(1).max(9) }),
            query: z.object({ dry: z.enum(['yes', 'no']).optional().describe('Changes nothing') }),
            headers: z.object({ 'x-tenant': z.string(), authorization: z.string(), Accept: z.string() }),
            cookies: z.object({ sid: z.string() }),
            body: z.object({ name: z.string() }),
          },
          output: { 200: z.object({ id: z.number() }), 204: z.undefined() },
        }),
      ],
      {
        servers: [{ url: 'https://example.com/api' }],
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
        tags: [{ name: 'orders', description: 'What is ordered' }],
      },
    )
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info,
      servers: [{ url: 'https://example.com/api' }],
      tags: [{ name: 'orders', description: 'What is ordered' }, { name: 'users' }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    })
    expect(document.paths).toEqual({
      '/users/{id}': {
        put: {
          operationId: 'putUser',
          summary: 'Changes a user',
          description: 'All of it',
          tags: ['users'],
          deprecated: true,
          security: [{ bearer: [] }],
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1, maximum: 9 } },
            {
              name: 'dry',
              in: 'query',
              description: 'Changes nothing',
              schema: { type: 'string', enum: ['yes', 'no'] },
            },
            { name: 'x-tenant', in: 'header', required: true, schema: { type: 'string' } },
            { name: 'sid', in: 'cookie', required: true, schema: { type: 'string' } },
          ],
          requestBody: {
            required: true,
            content: bodyOf({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }),
          },
          responses: {
            200: {
              description: 'OK',
              content: bodyOf({ type: 'object', properties: { id: { type: 'number' } }, required: ['id'] }),
            },
            204: { description: 'No Content' },
            422: refusal,
          },
        },
      },
    })
    expect(await lint(document)).toEqual([])
  })

  it('writes what all routes require', () => {
    const security = [{ bearer: [] }]
    const securitySchemes = { bearer: { type: 'http', scheme: 'bearer' } } as const
    expect(documentOf([], { security, securitySchemes })).toMatchObject({
      security,
      components: { securitySchemes },
    })
  })

  it('writes the path of the root', () => {
    const { paths } = documentOf([new Controller('GET', '/', answer)])
    expect(Object.keys(paths)).toEqual(['/'])
  })

  it('writes what a schema takes of input, and what it gives of answers', () => {
    const Amount = z.object({
      n: z.coerce.number().default(1),
      s: z.string().transform(Number).pipe(z.number()),
    })
    const document = documentOf([
      new Controller('POST', '/a', answer, { input: { body: Amount }, output: { 200: Amount } }),
    ])
    expect(document.components!.schemas).toMatchObject({
      PostA200: { properties: { s: { type: 'number' } }, required: ['n', 's'] },
      PostABody: { properties: { s: { type: 'string' } }, required: ['s'] },
    })
  })

  it('answers refused input with the status of RouteControllers, beside what the route declares for it', () => {
    const list = [
      new Controller('POST', '/a', answer, { input: { body: z.string() }, output: { 400: z.literal('no') } }),
      new Controller('GET', '/b', answer),
    ]
    const { paths } = openApi(new RouteControllers(list, { refusedStatus: 400 }), { info })
    expect(paths['/a']!['post']!.responses).toEqual({
      400: {
        description: 'Bad Request',
        content: { ...textOf({ type: 'string', const: 'no' }), ...refusal.content },
      },
    })
    expect(paths['/b']!['get']!.responses).toEqual({ default: { description: 'An answer without a schema' } })
  })

  it('describes the problem that is answered', async () => {
    const list = [
      new Controller('GET', '/a', answer, { input: { query: z.object({ page: z.coerce.number() }) } }),
    ]
    const refused = await new RouteControllers(list).getCallback()(new Request('http://x/a?page=x'))
    const problem = (await refused.json()) as { errors: object[] }
    expect(problem).toMatchObject({ errors: [{ in: 'query', path: '/page' }] })
    const { Problem } = documentOf(list).components!.schemas as { Problem: Described }
    const errors = Problem.properties['errors']!.items!
    for (const [given, described] of [[problem, Problem] as const, [problem.errors[0]!, errors] as const]) {
      expect(Object.keys(described.properties)).toEqual(expect.arrayContaining(Object.keys(given)))
      expect(Object.keys(given)).toEqual(expect.arrayContaining(described.required))
    }
  })

  it('gives an answer of a text the type with which it is sent', async () => {
    const Name = z.string().meta({ id: 'Name' })
    const NoUser = z.literal('nobody')
    const user = describeGuard(
      guard((_req, res) => res.status(401).text('nobody')),
      { answers: { 401: NoUser } },
    )
    const list = [
      new Controller('GET', '/name', () => 'Ada', { output: { 200: Name } }),
      new Controller('GET', '/names', () => ['Ada'], { output: { 200: z.array(Name) } }),
      new Controller('GET', '/user', () => 'Ada').use(user),
    ]
    const { paths } = documentOf(list)
    const handle = new RouteControllers(list).getCallback()
    for (const [path, status] of [
      ['/name', 200],
      ['/names', 200],
      ['/user', 401],
    ] as const) {
      const answered = await handle(new Request(`http://x${path}`))
      const [sent] = answered.headers.get('content-type')!.split(';')
      const described = paths[path]!['get']!.responses[status]!.content!
      expect([path, answered.status, Object.keys(described)]).toEqual([path, status, [sent]])
    }
  })

  it('says of answers without a body nothing of one', () => {
    const output = { 200: z.string(), 204: z.undefined(), 205: z.undefined(), 304: z.undefined() }
    const { paths } = documentOf([new Controller('GET', '/', answer, { output })])
    expect(paths['/']!['get']!.responses).toEqual({
      200: { description: 'OK', content: textOf({ type: 'string' }) },
      204: { description: 'No Content' },
      205: { description: 'Reset Content' },
      304: { description: 'Not Modified' },
    })
  })

  it('gives names to schemas that have one, wherever they stand', async () => {
    const Address = z.object({ street: z.string() }).meta({ id: 'Address' })
    const User = z.object({ name: z.string(), home: Address }).meta({ id: 'User' })
    const document = documentOf([
      new Controller('POST', '/users', answer, { input: { body: User }, output: { 201: User } }),
      new Controller('GET', '/users', answer, { output: { 200: z.array(User) } }),
      new Controller('GET', '/addresses', answer, {
        output: { 200: z.object({ title: Address }).meta({ title: 'All of them' }) },
      }),
      new Controller('GET', '/search', answer, {
        input: { query: z.object({ near: z.string() }).meta({ id: 'Search' }) },
      }),
    ])
    expect(Object.keys(document.components!.schemas!).sort()).toEqual([
      'Address',
      'AllOfThem',
      'Problem',
      'User',
    ])
    expect(document.paths['/users']!['post']).toMatchObject({
      requestBody: { content: bodyOf({ $ref: '#/components/schemas/User' }) },
      responses: { 201: { content: bodyOf({ $ref: '#/components/schemas/User' }) } },
    })
    expect(document.paths['/users']!['get']!.responses).toMatchObject({
      200: { content: bodyOf({ type: 'array', items: { $ref: '#/components/schemas/User' } }) },
    })
    expect(document.paths['/search']!['get']!.parameters).toMatchObject([{ name: 'near', in: 'query' }])
    expect(await lint(document)).toEqual([])
  })

  it('says multipart/form-data of a body with a file, and JSON of each other', async () => {
    const Picture = z.object({ image: z.file() }).meta({ id: 'Picture' })
    const Folder = z.object({
      name: z.string(),
      get inner() {
        return z.array(Folder)
      },
    })
    const bodies: [z.ZodType, string][] = [
      [z.object({ title: z.string(), picture: z.file().mime('image/png') }), 'multipart/form-data'],
      [z.object({ pictures: z.array(z.file()).optional() }), 'multipart/form-data'],
      [z.union([z.object({ url: z.url() }), Picture]), 'multipart/form-data'],
      [z.object({ inner: Picture }), 'multipart/form-data'],
      [z.object({ picture: z.base64(), format: z.literal('binary') }), 'application/json'],
      [Folder, 'application/json'],
      [z.array(z.string()), 'application/json'],
    ]
    for (const [body, type] of bodies) {
      const document = documentOf([new Controller('POST', '/a', answer, { input: { body } })])
      expect(Object.keys(document.paths['/a']!['post']!.requestBody!.content)).toEqual([type])
      expect(await lint(document)).toEqual([])
    }
  })

  it('says text/plain of a body that is a text, since a text as JSON is refused', async () => {
    const Note = z.string().min(2).meta({ id: 'Note' })
    for (const body of [z.string(), Note]) {
      const list = [new Controller('POST', '/a', (req) => req.body, { input: { body } })]
      const document = documentOf(list)
      const [type] = Object.keys(document.paths['/a']!['post']!.requestBody!.content)
      expect(type).toBe('text/plain')
      expect(await lint(document)).toEqual([])
      const send = (contentType: string, text: string) =>
        new RouteControllers(list).getCallback()(
          new Request('http://x/a', { method: 'POST', body: text, headers: { 'content-type': contentType } }),
        )
      expect(await (await send(type!, 'text')).text()).toBe('text')
      expect((await send('application/json', '"text"')).status).toBe(400)
    }
  })

  it('gives names to schemas that are used twice, and to those that refer to themselves', async () => {
    const Tea = z.object({ name: z.string() })
    const Folder = z.object({
      get folders() {
        return z.array(Folder)
      },
    })
    const document = documentOf([
      new Controller('POST', '/teas', answer, { name: 'addTea', input: { body: Tea } }),
      new Controller('PUT', '/teas', answer, { input: { body: Tea } }),
      new Controller('GET', '/folders', answer, { output: { 200: Folder } }),
    ])
    expect(Object.keys(document.components!.schemas!).sort()).toEqual([
      'AddTeaBody',
      'GetFolders200',
      'Problem',
    ])
    expect(document.components!.schemas!['GetFolders200']).toMatchObject({
      properties: { folders: { items: { $ref: '#/components/schemas/GetFolders200' } } },
    })
    expect(await lint(document)).toEqual([])
  })

  it('keeps two schemas of one name apart', async () => {
    const [one, other] = [z.string(), z.number()].map((a) => z.object({ a }).meta({ title: 'Problem' }))
    const document = documentOf([
      new Controller('POST', '/one', answer, { input: { body: one! } }),
      new Controller('POST', '/other', answer, { input: { body: other! } }),
    ])
    expect(document.components!.schemas).toMatchObject({
      Problem: { properties: { a: { type: 'string' } } },
      ProblemInput: { properties: { a: { type: 'number' } } },
      ProblemOutput: { description: 'Why a request is refused (RFC 9457)' },
    })
    expect(await lint(document)).toEqual([])
  })

  it('keeps any number of schemas of one name apart, by names that say where they stand', async () => {
    const schemas = [z.string(), z.number(), z.boolean(), z.null()].map((a) =>
      z.object({ a }).meta({ title: 'Tea' }),
    )
    const document = documentOf(
      schemas.map((body, at) => new Controller('POST', `/${at}`, answer, { input: { body } })),
    )
    expect(Object.keys(document.components!.schemas!)).toEqual([
      'Tea',
      'TeaInput',
      'TeaInput2',
      'TeaInput3',
      'Problem',
    ])
    expect(await lint(document)).toEqual([])
  })

  it('takes schemas of zod, arktype and valibot', async () => {
    const ofArktype = type({ id: 'string.numeric.parse', 'tags?': 'string[]' })
    const tree = type.module({ node: { name: 'string', children: 'node[]' } })
    const ofValibot = toStandardJsonSchema(v.object({ name: v.pipe(v.string(), v.minLength(2)) }))
    const document = documentOf([
      new Controller('POST', '/arktype', answer, { input: { body: ofArktype }, output: { 200: ofArktype } }),
      new Controller('POST', '/tree', answer, { input: { body: tree.node } }),
      new Controller('POST', '/valibot', answer, { input: { body: ofValibot } }),
    ])
    expect(document.components!.schemas).toMatchObject({
      PostArktype200: { properties: { id: { type: 'number' } } },
      PostArktypeBody: { properties: { id: { type: 'string' } } },
      PostTreeBodyPart: { properties: { name: { type: 'string' } } },
    })
    expect(document.paths['/valibot']!['post']!.requestBody!.content).toMatchObject(
      bodyOf({ properties: { name: { type: 'string', minLength: 2 } } }),
    )
    expect(await lint(document)).toEqual([])
  })

  it('says of members that a schema only drops nothing, of those that it refuses that there are none', () => {
    const document = documentOf([
      new Controller('GET', '/a', answer, { output: { 200: z.object({ a: z.string() }) } }),
      new Controller('GET', '/b', answer, { output: { 200: z.strictObject({ a: z.string() }) } }),
      new Controller('GET', '/either', answer, {
        output: { 200: z.union([z.object({ a: z.string() }), z.strictObject({ b: z.string() })]) },
      }),
      new Controller('GET', '/pair', answer, {
        output: { 200: z.tuple([z.object({ a: z.string() }), z.strictObject({ b: z.string() })]) },
      }),
    ])
    const schemaAt = (path: string) =>
      document.paths[path]!['get']!.responses['200']!.content!['application/json']!.schema
    expect(schemaAt('/a')).not.toHaveProperty('additionalProperties')
    expect(schemaAt('/b')).toHaveProperty('additionalProperties', false)
    for (const list of [
      (schemaAt('/either') as { anyOf: object[] }).anyOf,
      (schemaAt('/pair') as { prefixItems: object[] }).prefixItems,
    ]) {
      expect(list.map((one) => 'additionalProperties' in one)).toEqual([false, true])
    }
  })

  it('says of members that an answer may not have what its schema says, where the input says something else', () => {
    const other = {
      ...written({ type: 'object', additionalProperties: { type: 'string' } }),
    }
    other['~standard'].jsonSchema.output = () => ({ type: 'object', additionalProperties: false })
    const { get } = documentOf([new Controller('GET', '/a', answer, { output: { 200: other } })]).paths['/a']!
    expect(get!.responses['200']!.content!['application/json']!.schema).toEqual({
      type: 'object',
      additionalProperties: false,
    })
  })

  it('writes a query of alternatives, of parts and of any fields', () => {
    const parametersOf = (query: z.ZodType) =>
      documentOf([new Controller('GET', '/a', answer, { input: { query } })]).paths['/a']!['get']!.parameters
    const either = z.union([
      z.object({ a: z.string(), b: z.string() }),
      z.object({ a: z.string(), c: z.string() }),
    ])
    expect(parametersOf(either)).toMatchObject([{ name: 'a', required: true }, { name: 'b' }, { name: 'c' }])
    expect(parametersOf(either)![1]).not.toHaveProperty('required')
    expect(parametersOf(z.object({ a: z.string() }).and(either))).toMatchObject([
      { name: 'a' },
      { name: 'b' },
      { name: 'c' },
    ])
    expect(parametersOf(z.record(z.string(), z.string()))).toEqual([
      {
        name: 'fields',
        in: 'query',
        style: 'form',
        explode: true,
        schema: { type: 'object', additionalProperties: { type: 'string' } },
      },
    ])
  })

  it('runs no schema', () => {
    const check = jest.fn(() => Promise.reject(new Error('run')))
    documentOf([
      new Controller('POST', '/a', answer, { input: { body: z.object({}).optional().refine(check) } }),
    ])
    expect(check).not.toHaveBeenCalled()
  })

  it('writes two paths of one shape as one, with the names of the first', async () => {
    const document = documentOf([
      new Controller('GET', '/users/:id', answer),
      new Controller('DELETE', '/users/:name', answer, {
        input: { params: z.object({ name: z.literal('Ada') }) },
      }),
    ])
    expect(Object.keys(document.paths)).toEqual(['/users/{id}'])
    expect(document.paths['/users/{id}']!['delete']!.parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'string', const: 'Ada' } },
    ])
    expect(await lint(document)).toEqual([])
  })

  it('gives a path that a param and a wildcard share to the param, in any order', () => {
    const leftOut: LeftOutRoute[] = []
    for (const wildcard of ['/files/*', '/files/*rest']) {
      const list = [new Controller('GET', wildcard, answer), new Controller('GET', '/files/:id', answer)]
      for (const given of [list, [...list].reverse()]) {
        const { paths } = documentOf(given, { onLeftOut: (route) => leftOut.push(route) })
        expect(Object.keys(paths)).toEqual(['/files/{id}'])
        expect(leftOut.pop()).toMatchObject({ method: 'GET', path: wildcard })
      }
    }
  })

  it('writes a wildcard as a param with a note', async () => {
    const document = documentOf([
      new Controller('GET', '/files/*path', answer),
      new Controller('GET', '/others/:rest/*', answer),
      new Controller('GET', '*', answer),
    ])
    expect(Object.keys(document.paths)).toEqual(['/files/{path}', '/others/{rest}/{rest_}', '/{rest}'])
    expect(document.paths['/files/{path}']!['get']!.parameters).toMatchObject([
      { name: 'path', description: expect.stringContaining('slashes') as string },
    ])
    expect(await lint(document)).toEqual([])
  })

  it('gives a wildcard without a name none of a param, also of one behind it', () => {
    const rest = { name: 'rest', isRest: false }
    expect(toTemplate(['/', { name: '*', isRest: true }, '/', rest]).path).toBe('/{rest_}/{rest}')
    expect(toTemplate(['/', rest, '/', { name: '*', isRest: true }]).path).toBe('/{rest}/{rest_}')
  })

  it('writes a route of all methods as those that no other route has, where it says anything of itself', async () => {
    const left: LeftOutRoute[] = []
    const document = documentOf(
      [
        new Controller('*', '/a', answer, { name: 'anyA' }),
        new Controller('GET', '/a', answer),
        new Controller('*', '/b', answer, { bodyLimit: 5, body: 'stream' }),
      ],
      { onLeftOut: (route) => left.push(route) },
    )
    const operations = Object.entries(document.paths['/a']!).map(([method, { operationId }]) => [
      method,
      operationId,
    ])
    expect(Object.fromEntries(operations)).toEqual({
      get: 'getA',
      put: 'anyAPut',
      post: 'anyAPost',
      delete: 'anyADelete',
      patch: 'anyAPatch',
    })
    expect(left).toMatchObject([{ method: '*', path: '/b' }])
    expect(await lint(document)).toEqual([])
  })

  it('leaves a route of all methods out where others have them all, or its path has no form', () => {
    const left: LeftOutRoute[] = []
    const methods = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']
    const list = [
      ...methods.map((method) => new Controller(method, '/a', answer)),
      new Controller('*', '/a', answer, { name: 'rest' }),
      new Controller('*', expressPath('/b{/:c}'), answer, { name: 'foreign' }),
    ]
    openApi(new RouteControllers(list, { profile: 'express5' }), {
      info,
      onLeftOut: (route) => left.push(route),
    })
    expect(left.map(({ path, reason }) => [path, reason])).toEqual([
      ['/a', 'other routes have all of its methods'],
      ['/b{/:c}', "a path in Express's grammar, which OpenAPI cannot express"],
    ])
  })

  it('tells which routes OpenAPI has no form for, and is silent of those that are hidden', () => {
    const left: LeftOutRoute[] = []
    const list = [
      new Controller(
        'GET',
        expressPath('/users{/:id}'),
        fromExpress(() => {}),
      ),
      new Controller('PROPFIND', '/a', answer),
      new Controller('GET', '/files/*', answer),
      new Controller('GET', '/files/:id', answer),
      new Controller('GET', '/secret', answer, { hidden: true }),
    ]
    const { paths } = openApi(new RouteControllers(list, { profile: 'express5' }), {
      info,
      onLeftOut: (route) => left.push(route),
    })
    expect(Object.keys(paths)).toEqual(['/files/{id}'])
    expect(left.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET /files/*',
      'GET /users{/:id}',
      'PROPFIND /a',
    ])
    expect(left.every(({ reason }) => reason.length > 20)).toBe(true)
  })

  it('gives operations names of their own: operationId, the name of the route, else one of the method and the path', () => {
    const document = documentOf([
      new Controller('GET', '/', answer),
      new Controller('GET', '/users/:id/orders', answer),
      new Controller('GET', '/users-by-id/orders', answer),
      new Controller('GET', '/a', answer, { name: 'named', operationId: 'called' }),
      new Controller('GET', '/b', answer, { name: 'getRoot' }),
    ])
    const ids = Object.values(document.paths).map((item) => item['get']!.operationId)
    expect(ids).toEqual(['getRoot2', 'getUsersByIdOrders', 'getUsersByIdOrders2', 'called', 'getRoot'])
  })

  it('is of one group with all of its schemas', async () => {
    const api = group('/orgs/:org').with({
      tags: ['orgs'],
      input: { headers: z.object({ 'x-a': z.string() }) },
    })
    const document = documentOf([api.get('/users', answer)])
    expect(document.paths['/orgs/{org}/users']!['get']).toMatchObject({
      tags: ['orgs'],
      parameters: [{ name: 'org' }, { name: 'x-a' }],
    })
    expect(await lint(document)).toEqual([])
  })

  it('is a copy: what is changed in it is changed nowhere else', () => {
    const list = [
      new Controller('GET', '/a', answer, { tags: ['a'], output: { 200: z.object({ a: z.string() }) } }),
    ]
    const before = JSON.stringify(documentOf(list))
    const document = documentOf(list)
    document.info.title = 'Changed'
    document.paths['/a']!['get']!.tags!.push('b')
    expect(JSON.stringify(documentOf(list))).toBe(before)
  })
})

/** A schema of a library that gives this JSON Schema. */
const written = (json: unknown) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'written',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => json, output: () => json },
  },
})

describe('openApi takes JSON Schema as libraries write it:', () => {
  const bodyFor = (json: unknown) => {
    const document = documentOf([new Controller('POST', '/a', answer, { input: { body: written(json) } })])
    const { schema } = document.paths['/a']!['post']!.requestBody!.content['application/json']!
    return { schema, schemas: document.components!.schemas! }
  }

  it('what is no object stands as it is, and a reference to elsewhere is left there', () => {
    const query = {
      type: 'object',
      allOf: [{ $ref: 'https://example.com/other.json' }],
      properties: { any: true, fields: { type: 'string' } },
      additionalProperties: { type: 'integer' },
    }
    const list = [
      new Controller('GET', '/a', answer, { input: { query: written(query) } }),
      new Controller('GET', '/b', answer, { input: { query: written(true) } }),
    ]
    const { paths } = documentOf(list)
    const parametersOf = (path: string) => paths[path]!['get']!.parameters ?? []
    expect(parametersOf('/a').map(({ name, schema }) => [name, schema])).toEqual([
      ['any', true],
      ['fields', { type: 'string' }],
      ['fields_', { type: 'object', additionalProperties: { type: 'integer' } }],
    ])
    expect(parametersOf('/b')).toEqual([])
  })

  it('references to any part of it lead where they did, and an $id is a name alone', () => {
    const { schema, schemas } = bodyFor({
      $id: 'https://example.com/schemas/tea.json?v=1',
      type: 'object',
      properties: {
        $id: { type: 'string' },
        same: { $ref: '#/properties/%24id' },
        all: { $ref: '#' },
        part: { $ref: '#/$defs/a~1b/properties/x' },
        far: { $ref: 'https://example.com/other.json' },
        broken: { $ref: '#/$defs/%zz' },
      },
      $defs: { 'a/b': { properties: { x: true } }, unused: {} },
    })
    expect(schema).toEqual({ $ref: '#/components/schemas/tea.json' })
    expect(schemas).toMatchObject({
      'tea.json': {
        properties: {
          $id: { type: 'string' },
          same: { $ref: '#/components/schemas/tea.json/properties/%24id' },
          all: { $ref: '#/components/schemas/tea.json' },
          part: { $ref: '#/components/schemas/aB/properties/x' },
          far: { $ref: 'https://example.com/other.json' },
          broken: { $ref: '#/$defs/%zz' },
        },
      },
      aB: { properties: { x: true } },
    })
    expect(schemas['tea.json']).not.toHaveProperty('$id')
    expect(Object.keys(schemas)).not.toContain('unused')
  })

  it('a reference to the root from a definition alone leads to its component', () => {
    const { schema, schemas } = bodyFor({
      properties: { first: { $ref: '#/$defs/child' } },
      $defs: { child: { properties: { parent: { $ref: '#' }, name: { $ref: '#/properties/first' } } } },
    })
    expect(schema).toEqual({ $ref: '#/components/schemas/PostABody' })
    expect(schemas).toMatchObject({
      PostABody: { properties: { first: { $ref: '#/components/schemas/child' } } },
      child: {
        properties: {
          parent: { $ref: '#/components/schemas/PostABody' },
          name: { $ref: '#/components/schemas/PostABody/properties/first' },
        },
      },
    })
  })

  it('a title that has what JSON pointers escape', () => {
    const { schema, schemas } = bodyFor({ title: 'tea/cup~small%20', type: 'object' })
    expect(schema).toEqual({ $ref: '#/components/schemas/teaCupSmall20' })
    expect(schemas).toHaveProperty('teaCupSmall20', { title: 'tea/cup~small%20', type: 'object' })
  })

  it('a definition whose name has what JSON pointers escape', () => {
    const { schema, schemas } = bodyFor({
      properties: { one: { $ref: '#/$defs/a~01b' }, other: { $ref: '#/$defs/a~1b' } },
      $defs: { 'a~1b': { const: 'with a tilde' }, 'a/b': { const: 'with a slash' } },
    })
    const { one, other } = (schema as { properties: Record<string, { $ref: string }> }).properties
    const meant = ({ $ref }: { $ref: string }): unknown => schemas[$ref.split('/').at(-1)!]
    expect([meant(one!), meant(other!)]).toEqual([{ const: 'with a tilde' }, { const: 'with a slash' }])
  })

  it('values that look like schemas are left alone', () => {
    const { schema } = bodyFor({ const: { $id: 'x', $ref: '#' }, default: { $schema: 'y' } })
    expect(schema).toEqual({ const: { $id: 'x', $ref: '#' }, default: { $schema: 'y' } })
  })

  it('a schema of anything, and a name that no component can have', () => {
    expect(bodyFor(true).schema).toBe(true)
    expect(bodyFor({ title: 'Чай' }).schema).toEqual({ $ref: '#/components/schemas/Schema' })
  })

  it('the members of a query behind references, also those that lead back', () => {
    const query = written({
      allOf: [{ $ref: '#/$defs/a' }, true],
      $defs: {
        a: { properties: { x: { type: 'string' } }, required: ['x'], anyOf: [{ $ref: '#/$defs/a' }] },
      },
    })
    const { paths } = documentOf([new Controller('GET', '/a', answer, { input: { query } })])
    expect(paths['/a']!['get']!.parameters).toEqual([
      { name: 'x', in: 'query', required: true, schema: { type: 'string' } },
    ])
  })

  it('the members of a query of which one alternative counts: required where each has them', () => {
    const member = (type: string) => ({
      properties: { kind: {}, [type]: { type } },
      required: ['kind', type],
    })
    const query = written({ oneOf: [member('string'), member('number')] })
    const { paths } = documentOf([new Controller('GET', '/a', answer, { input: { query } })])
    expect(paths['/a']!['get']!.parameters).toEqual([
      { name: 'kind', in: 'query', required: true, schema: {} },
      { name: 'string', in: 'query', schema: { type: 'string' } },
      { name: 'number', in: 'query', schema: { type: 'number' } },
    ])
  })

  it('the notes of a parameter, which stand beside its schema', () => {
    const properties = { old: { type: 'string', description: 'As before', deprecated: true } }
    const list = [new Controller('GET', '/a', answer, { input: { query: written({ properties }) } })]
    expect(documentOf(list).paths['/a']!['get']!.parameters).toEqual([
      { name: 'old', in: 'query', description: 'As before', deprecated: true, schema: { type: 'string' } },
    ])
  })

  it.each([
    ...['items', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties', 'contains'],
    ...['propertyNames', 'contentSchema', 'not', 'if', 'then', 'else'],
  ])('a reference in %s', (keyword) => {
    const { schema, schemas } = bodyFor({
      [keyword]: { $ref: '#/$defs/tea' },
      $defs: { tea: { type: 'string' } },
    })
    expect(schema).toEqual({ [keyword]: { $ref: '#/components/schemas/tea' } })
    expect(schemas).toMatchObject({ tea: { type: 'string' } })
  })

  it('a part without a schema, and a status without a name', () => {
    const options = {
      input: { body: undefined },
      output: { 200: undefined, 299: z.string() },
    } as unknown as ControllerOptions
    const { post } = documentOf([new Controller('POST', '/a', answer, options)]).paths['/a']!
    expect(post).toEqual({
      operationId: 'postA',
      responses: { 299: { description: 'Status 299', content: textOf({ type: 'string' }) } },
    })
  })

  it.each([['text'], [undefined], [null], [[]]])('%p is none, which is said', (json) => {
    expect(() => bodyFor(json)).toThrow(expect.objectContaining({ code: 'ERR_OPENAPI_SCHEMA' }) as Error)
  })
})

describe('openApi refuses', () => {
  const plain = {
    '~standard': { version: 1 as const, vendor: 'homemade', validate: (value: unknown) => ({ value }) },
  }

  it('a schema that gives no JSON Schema, with the route, the part, the library and the remedy', () => {
    const list = [new Controller('POST', '/users/:id', answer, { input: { body: plain } })]
    expect(() => documentOf(list)).toThrow(
      expect.objectContaining({
        code: 'ERR_OPENAPI_SCHEMA',
        message: expect.stringMatching(
          /^POST \/users\/:id: input\.body .*homemade.*toStandardJsonSchema/,
        ) as string,
      }) as Error,
    )
    expect(() => documentOf([new Controller('GET', '/a', answer, { output: { 200: v.string() } })])).toThrow(
      /^GET \/a: output\.200 .*valibot/,
    )
  })

  it('a schema that JSON Schema cannot say, with the reason', () => {
    const list = [new Controller('GET', '/a', answer, { output: { 200: z.object({ at: z.date() }) } })]
    expect(() => documentOf(list)).toThrow(
      expect.objectContaining({
        code: 'ERR_OPENAPI_SCHEMA',
        message: expect.stringMatching(
          /^GET \/a: output\.200 .*Date cannot be represented.*ISO 8601/,
        ) as string,
        cause: expect.anything() as unknown,
      }) as Error,
    )
  })

  it('two operations of one operationId', () => {
    const list = [
      new Controller('GET', '/a', answer, { name: 'a' }),
      new Controller('GET', '/b', answer, { operationId: 'a' }),
    ]
    expect(() => documentOf(list)).toThrow(
      expect.objectContaining({
        code: 'ERR_ROUTE_CONFLICT',
        message: expect.stringMatching(/GET \/a and GET \/b/) as string,
      }) as Error,
    )
  })

  it.each<[string, object]>([
    ['no info', {}],
    ['a title that is none', { info: { title: '', version: '1' } }],
    ['no version', { info: { title: 'a' } }],
    ['an option that does not exist', { info, tittle: 'a' }],
    ['servers that are no list', { info, servers: {} }],
    ['a tag without a name', { info, tags: ['a'] }],
    ['a requirement that no scheme meets', { info, security: [{ bearer: [] }] }],
    ['requirements that are no list', { info, security: { bearer: [] } }],
    ['requirements that are names', { info, security: ['bearer'] }],
    ['schemes that are no object', { info, securitySchemes: [] }],
    ['errors that are null', { info, errors: null }],
  ])('options with %s', (_what, options) => {
    expect(() => openApi(new RouteControllers([]), options as OpenApiOptions)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID' }) as Error,
    )
  })

  it('the requirement of a route that no scheme meets, and what are no RouteControllers', () => {
    const list = [new Controller('GET', '/a', answer, { security: [{ bearer: [] }] })]
    expect(() => documentOf(list)).toThrow(/GET \/a.*securitySchemes.*"bearer"/)
    for (const wrong of [undefined, {}, []])
      expect(() => openApi(wrong as never, { info })).toThrow(/RouteControllers/)
  })
})
