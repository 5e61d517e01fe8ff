import { around, Controller, describeGuard, fromConnect, group, RouteControllers } from 'routecontrollers'
import type { AnyController, GuardNotes, Middleware, RouteControllersOptions } from 'routecontrollers'
import { openApi, type OpenApiOperation, type OpenApiOptions } from 'routecontrollers/openapi'
import { z } from 'zod'
import { describeServings } from '../support/describe-servings.js'
import { lint } from './lint.js'

const info = { title: 'Test', version: '1.0.0' }
const answer = () => new Response()
const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'x-key' },
}
const body = z.object({ n: z.number() })
const House = z.object({ error: z.object({ code: z.string() }) }).meta({ id: 'House' })
const house = { $ref: '#/components/schemas/House' }

async function operationOf(
  list: AnyController[],
  options: Partial<OpenApiOptions> = {},
  served: RouteControllersOptions = {},
  setup: (routeControllers: RouteControllers) => void = () => {},
): Promise<OpenApiOperation> {
  const routeControllers = new RouteControllers(list, served)
  setup(routeControllers)
  const document = openApi(routeControllers, { info, securitySchemes, ...options })
  expect(await lint(document)).toEqual([])
  return Object.values(Object.values(document.paths)[0]!)[0]!
}

const requireUser: Middleware = (_req, res) => res.status(401).end()
const notes: GuardNotes = { security: [{ bearer: [] }], answers: { 401: 'No user is signed in', 403: House } }

describe('The answers and requirements of a guard are in the document', () => {
  const expected = {
    security: [{ bearer: [] }],
    responses: {
      401: { description: 'No user is signed in' },
      403: { description: 'Forbidden', content: { 'application/json': { schema: house } } },
    },
  }

  it.each<[string, () => { list: AnyController[]; setup?: (made: RouteControllers) => void }]>([
    ['of a group', () => ({ list: [group('/a', describeGuard(requireUser, notes)).get('/', answer)] })],
    [
      'given to group.use',
      () => {
        const api = group('/a')
        api.use(describeGuard(requireUser, notes))
        return { list: [api.get('/', answer)] }
      },
    ],
    [
      'given to group.with',
      () => ({ list: [group('/a').with(describeGuard(requireUser, notes)).get('/', answer)] }),
    ],
    [
      'of a Controller',
      () => ({ list: [new Controller('GET', '/a', answer).use(describeGuard(requireUser, notes))] }),
    ],
    [
      'of fromConnect',
      () => ({
        list: [new Controller('GET', '/a', answer).use(fromConnect((_req, _res, next) => next(), notes))],
      }),
    ],
    [
      'around what is inside',
      () => ({
        list: [
          new Controller('GET', '/a', answer).use(
            describeGuard(
              around(() => new Response()),
              notes,
            ),
          ),
        ],
      }),
    ],
    [
      'of all Controllers',
      () => ({
        list: [new Controller('GET', '/a', answer)],
        setup: (made) => void made.use(describeGuard(requireUser, notes)),
      }),
    ],
    [
      'described twice',
      () => ({
        list: [
          new Controller('GET', '/a', answer).use(
            describeGuard(describeGuard(requireUser, { security: notes.security! }), {
              answers: notes.answers!,
            }),
          ),
        ],
      }),
    ],
  ])('%s', async (_what, make) => {
    const { list, setup } = make()
    expect(await operationOf(list, {}, {}, setup)).toMatchObject(expected)
  })

  it('all of several guards, and the route says it instead where it does', async () => {
    const guards = [
      describeGuard(requireUser, { security: [{ bearer: ['read'] }, { key: [] }] }),
      describeGuard(requireUser, { security: [{ bearer: ['write'] }] }),
      describeGuard(requireUser, { answers: { 429: 'Too many' } }),
    ] as const
    const both = await operationOf([new Controller('GET', '/a', answer).use(...guards)])
    expect(both.security).toEqual([{ bearer: ['read', 'write'] }, { key: [], bearer: ['write'] }])
    const own = new Controller('GET', '/a', answer, { security: [] }).use(...guards)
    expect((await operationOf([own])).security).toEqual([])
  })

  it('each scope once, where several guards ask for it', async () => {
    const guards = [
      describeGuard(requireUser, { security: [{ bearer: ['read', 'write'] }] }),
      describeGuard(requireUser, { security: [{ bearer: ['write', 'admin'] }] }),
    ] as const
    const { security } = await operationOf([new Controller('GET', '/a', answer).use(...guards)])
    expect(security).toEqual([{ bearer: ['read', 'write', 'admin'] }])
  })

  it('beside alternatives of the route, whose description stays', async () => {
    const why = z.union([z.object({ why: z.string() }), z.string()]).describe('Why it is refused')
    const list = [
      new Controller('GET', '/a', answer, { output: { 200: z.string(), 403: why } }).use(
        describeGuard(requireUser, notes),
      ),
    ]
    const { responses } = await operationOf(list)
    expect(responses['403']!.content!['application/json']!.schema).toEqual({
      anyOf: [expect.objectContaining({ description: 'Why it is refused' }), house],
    })
  })

  it('beside the answers of the route of that status', async () => {
    const list = [
      new Controller('GET', '/a', answer, {
        output: { 200: z.string(), 403: z.object({ why: z.string() }) },
      }).use(describeGuard(requireUser, notes), describeGuard(requireUser, notes)),
    ]
    const { responses } = await operationOf(list)
    expect(responses['403']!.content!['application/json']!.schema).toEqual({
      anyOf: [expect.objectContaining({ type: 'object' }), house],
    })
  })

  it('of each route that shares them, by one component', async () => {
    const Refused = z.object({ refused: z.literal(true) })
    const api = group('/a', describeGuard(requireUser, { answers: { 401: Refused } }))
    const document = openApi(new RouteControllers([api.get('/b', answer), api.get('/c', answer)]), { info })
    expect(Object.keys(document.components!.schemas!)).toEqual(['Error401'])
  })

  it('and the guard runs as before, with its name', async () => {
    function requireKey(): undefined {}
    const described = describeGuard(requireKey, notes)
    expect([described.name, described.length]).toEqual(['requireKey', 0])
    const list = [
      new Controller('GET', '/a', () => 'x').use(
        described,
        describeGuard(
          fromConnect(function mw(_req, _res, next) {
            next()
          }),
          notes,
        ),
      ),
    ]
    expect(new RouteControllers(list).routes[0]!.middleware).toEqual(['requireKey', 'mw'])
  })

  it.each<[string, () => unknown, object]>([
    ['no guard', () => describeGuard('guard' as never, notes), { code: 'ERR_CONTROLLER_INVALID' }],
    [
      'an option that does not exist',
      () => describeGuard(requireUser, { answer: {} } as never),
      { code: 'ERR_OPTION_INVALID' },
    ],
    [
      'a status that is none',
      () => describeGuard(requireUser, { answers: { 99: 'x' } }),
      { code: 'ERR_OPTION_INVALID' },
    ],
    [
      'an answer that is none',
      () => fromConnect(() => {}, { answers: { 401: 7 as never } }),
      { code: 'ERR_OPTION_INVALID' },
    ],
    [
      'answers that are no object',
      () => describeGuard(requireUser, { answers: 'x' }),
      { code: 'ERR_OPTION_INVALID' },
    ],
    [
      'requirements that are no list',
      () => fromConnect(() => {}, { security: {} as never }),
      { code: 'ERR_OPTION_INVALID' },
    ],
    ['two middleware', () => fromConnect(() => {}, (() => {}) as never), { code: 'ERR_HOOK_INVALID' }],
  ])('unless they are wrong: %s', (_what, make, error) => {
    expect(make).toThrow(expect.objectContaining(error) as Error)
  })

  it('unless no scheme has the name', () => {
    const list = [new Controller('GET', '/a', answer).use(describeGuard(requireUser, notes))]
    expect(() => openApi(new RouteControllers(list), { info })).toThrow(
      /GET \/a, a guard: security.*"bearer"/,
    )
  })
})

describe('What refused input is answered with is in the document', () => {
  const list = (options: object = {}): AnyController[] => [
    new Controller('POST', '/a', answer, { input: { body }, ...options }),
  ]
  const served = { onError: () => undefined }
  const content = async (...all: Parameters<typeof operationOf>): Promise<unknown> =>
    (await operationOf(...all)).responses['422']!.content
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

  it('as the problem, without onError', async () => {
    expect(await content(list())).toEqual(problem)
  })

  it('as JSON of which nothing is known, with onError', async () => {
    expect(await content(list(), {}, served)).toEqual({ 'application/json': { schema: {} } })
    const declared = list({ output: { 200: z.string(), 422: House } })
    expect(await content(declared, {}, served)).toEqual({ 'application/json': { schema: house } })
  })

  it('as the option errors says', async () => {
    expect(await content(list(), { errors: House }, served)).toEqual({
      'application/json': { schema: house },
    })
    const typed = { schema: House, type: 'application/vnd.house+json' }
    expect(await content(list(), { errors: typed }, served)).toEqual({
      'application/vnd.house+json': { schema: house },
    })
    expect(await content(list(), { errors: { schema: House } }, served)).toEqual({
      'application/json': { schema: house },
    })
    expect(await content(list(), { errors: 'problem' }, served)).toEqual(problem)
    const declared = list({ output: { 200: z.string(), 422: z.object({ own: z.string() }) } })
    expect(await content(declared, { errors: House }, served)).toEqual({
      'application/json': { schema: { anyOf: [expect.objectContaining({ type: 'object' }), house] } },
    })
  })

  it.each([7, 'problems', {}, { schema: 7 }, { schema: House, type: '' }])(
    'unless errors is wrong: %j',
    (errors) => {
      expect(() => openApi(new RouteControllers([]), { info, errors: errors as never })).toThrow(
        expect.objectContaining({ code: 'ERR_OPTION_INVALID' }) as Error,
      )
    },
  )
})

describeServings('A document', ({ serve }) => {
  it('names the type of what is sent', async () => {
    const onError: RouteControllersOptions['onError'] = (_error, _req, res) =>
      res.status(422).json({ error: { code: 'VALIDATION' } })
    const requireHeader: Middleware = (req, res) =>
      req.get('x-user') === undefined ? res.status(401).end() : undefined
    const guard = describeGuard(requireHeader, notes)
    const served = await serve([new Controller('POST', '/a', answer, { input: { body } }).use(guard)], {
      onError,
    })
    const { responses } = openApi(served.routeControllers, { info, securitySchemes }).paths['/a']!['post']!
    const headers = { 'content-type': 'application/json' }
    expect((await served.send('/a', { method: 'POST', headers, body: '{}' })).status).toBe(401)
    expect(responses['401']).toBeDefined()
    const refused = await served.send('/a', {
      method: 'POST',
      headers: { ...headers, 'x-user': '1' },
      body: '{}',
    })
    expect(Object.keys(responses['422']!.content!)).toEqual([refused.headers['content-type']!.split(';')[0]])
  })
})

describeServings('A guard that is described', ({ serve }) => {
  it('runs around what is inside where it was marked so, as before', async () => {
    const adds = around(async (...[, , next]: Parameters<Middleware>) => {
      const answer = await next()
      answer.headers.set('X-Added', '1')
      return answer
    })
    const { send } = await serve([group('/a', describeGuard(adds, notes)).get('/', () => 'x')])
    const { text, headers } = await send('/a')
    expect([text, headers['x-added']]).toEqual(['x', '1'])
  })

  it('runs around what is inside where its parameters show it', async () => {
    const adds: Middleware = async (_req, _res, next) => {
      const answer = await next()
      answer.headers.set('X-Added', '1')
      return answer
    }
    const described = describeGuard(adds, notes)
    expect([described.name, described.length]).toEqual(['adds', 3])
    const { send } = await serve([group('/a', described).get('/', () => 'x')])
    expect((await send('/a')).headers['x-added']).toBe('1')
  })

  it('keeps its name in the marks of both', () => {
    const requireTea: Middleware = () => undefined
    expect([around(requireTea).name, describeGuard(requireTea, notes).name]).toEqual([
      'requireTea',
      'requireTea',
    ])
  })
})
