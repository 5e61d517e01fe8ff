import { requests } from './contenders/support/routes.js'

/** Who serves an Express app. Of each app below, `most` is what the two ways of the package are to take at most of what Express takes. */
const ways = {
  floor: 'its middleware and handler on node:http',
  'as it is': 'Express alone',
  createServer: 'createServer(app)',
  'in front': 'toControllers(app), in front',
}
const thing = {
  method: 'GET',
  path: '/api-9/things-4/42',
  answer: '{"id":"42","name":"Sencha","price":3.5,"tags":["loose","green"]}',
}
const order = '{"name":"Green tea","price":3.5,"tags":["loose","organic"]}'
const posted = { method: 'POST', path: '/api-9/things-4', body: order, answer: order }
const apps = [
  { name: 'plain', title: 'without middleware', request: thing, options: {}, most: [0.75, 0.75] },
  {
    name: 'four',
    title: 'morgan, helmet, cors and express.json()',
    request: thing,
    options: { middleware: 'four' },
    most: [0.85, 0.8],
  },
  {
    name: 'four POST',
    title: 'the same, a POST',
    request: posted,
    options: { middleware: 'four' },
    most: [1, 1],
  },
  {
    name: 'session',
    title: 'the same with express-session',
    request: thing,
    options: { middleware: 'session' },
    most: [1, 1],
  },
  {
    name: 'Express 4',
    title: 'the same four, Express 4',
    request: thing,
    options: { middleware: 'four', version: 4 },
    most: [0.85, 0.8],
  },
]

/**
 * Everything that is measured side by side.
 *
 * `measure` says what ratios are made of: CPU time per unit, or units per second. `base` is the contender that the
 * others are compared with; a target compares two contenders of its row: `what` is to be at least `least` times as
 * good as `against`. A `precise` row has more rounds; a `thorough` one is left out of a quick run, where another row has
 * the same code.
 *
 * @typedef {{ name: string, file: string, options: object }} Contender
 * @typedef {{ what: string, against: string, least: number }} Target
 * @typedef {{
 *   name: string, title: string, kind: 'served' | 'memory' | 'fetch' | 'transfer', measure: 'cpu' | 'rate', unit: string,
 *   base: string, contenders: Contender[], targets: Target[], precise?: boolean, thorough?: boolean,
 *   request?: object, headers?: string[], transfer?: string, amount?: number, mostGrowthMiB?: number,
 * }} Row
 *
 * `entry` is the URL of the package; `before`, if given, that of an earlier one, which then runs beside it.
 *
 * @returns {Row[]}
 */
export function createRows({ entry, before }) {
  const us = 'routecontrollers'
  const ours = (options = {}, name = us) => ({ name, file: us, options: { entry, ...options } })
  const rival = (name, file, options = {}) => ({ name, file, options })
  const express = (name, options = {}) => rival(name, 'express', options)
  const inExpress = (name, options) => express(name, { entry, first: 'ours', ...options })
  const bare = rival('node:http', 'node-http')
  const user = requests['GET /users/:id']
  const prefix = '/moved'
  const served = { kind: 'served', measure: 'cpu', unit: 'request' }

  const rows = [
    ...eachRequest((request, title) => ({
      ...served,
      name: `standalone ${title}`,
      title: `Standalone, 100 routes: ${title}`,
      request,
      base: bare.name,
      contenders: [
        bare,
        ours(),
        rival('Fastify', 'fastify'),
        rival('Hono', 'hono'),
        rival('h3', 'h3'),
        rival('Koa', 'koa'),
        express('Express 5'),
        express('Express 4', { version: 4 }),
      ],
      targets: [
        { what: us, against: bare.name, least: 0.97 },
        { what: us, against: 'Fastify', least: 1.1 },
        { what: us, against: 'Hono', least: 1.25 },
        { what: us, against: 'h3', least: 1.25 },
      ],
    })),

    ...eachRequest((request, title) => ({
      ...served,
      name: `handlers ${title}`,
      thorough: request !== user,
      title: `Express handlers, unchanged, without Express in front of them: ${title}`,
      request,
      base: bare.name,
      contenders: [
        bare,
        ours({ handlers: 'fromExpress' }, 'fromExpress'),
        ours({ handlers: 'profile' }, 'fromExpress, express5'),
        ours({ handlers: 'toControllers' }, 'toControllers(app)'),
        express('Express 5'),
      ],
      targets: [{ what: 'fromExpress', against: 'Express 5', least: 8 }],
    })),

    {
      ...served,
      name: 'validated POST',
      title: 'Standalone, 100 routes: POST JSON echo, the body checked against a schema',
      request: requests['POST JSON echo'],
      base: 'Fastify, Ajv',
      contenders: [
        rival('Fastify, Ajv', 'fastify', { validated: true }),
        ours({ schemas: 'zod' }, 'zod'),
        ours({ schemas: 'valibot' }, 'valibot'),
        ours({ schemas: 'arktype' }, 'arktype'),
        ours({}, 'no schema'),
      ],
      targets: ['zod', 'valibot', 'arktype'].map((what) => ({ what, against: 'Fastify, Ajv', least: 1 })),
    },

    {
      ...served,
      name: 'unchanged layers',
      title: 'An app taken over, where each request checks whether its layers have changed',
      request: user,
      base: '10 layers',
      precise: true,
      contenders: [
        ours({ handlers: 'toControllers', count: 10 }, '10 layers'),
        ours({ handlers: 'toControllers', count: 1_000 }, '1 000 layers'),
      ],
      // 2 µs of about 35.
      targets: [{ what: '1 000 layers', against: '10 layers', least: 0.94 }],
    },

    ...eachRequest((request, title) => ({
      ...served,
      name: `growth ${title}`,
      thorough: request !== user,
      title: `Standalone, from 10 to 10 000 routes: ${title}`,
      request,
      base: '100 routes',
      precise: true,
      contenders: [
        ours({}, '100 routes'),
        ours({ count: 10 }, '10 routes'),
        ours({ count: 10_000 }, '10 000 routes'),
      ],
      targets: [
        { what: '10 routes', against: '100 routes', least: 0.97 },
        { what: '10 000 routes', against: '100 routes', least: 0.97 },
      ],
    })),

    ...eachRequest((request, title) => ({
      ...served,
      name: `inside ${title}`,
      thorough: request !== user,
      title: `Inside Express 5, mounted first: ${title}`,
      request,
      base: 'bare (req, res, next)',
      contenders: [
        express('bare (req, res, next)', { first: 'bare' }),
        inExpress('middleware()'),
        express("Express's first route", { measuredFirst: true }),
      ],
      targets: [
        { what: 'middleware()', against: 'bare (req, res, next)', least: 0.97 },
        { what: 'middleware()', against: "Express's first route", least: 1.25 },
      ],
    })),

    {
      ...served,
      name: 'pass through',
      title: 'A request that passes through middleware() to Express 5',
      request: user,
      base: 'Express 5 alone',
      precise: true,
      contenders: [express('Express 5 alone'), inExpress('through middleware()', { ours: { prefix } })],
      targets: [{ what: 'through middleware()', against: 'Express 5 alone', least: 0.99 }],
    },
    {
      ...served,
      name: 'in front matched',
      title: 'In front of Express 5, a request that matches',
      request: user,
      base: 'standalone',
      precise: true,
      contenders: [ours({}, 'standalone'), ours({ fallback: true }, 'in front')],
      targets: [{ what: 'in front', against: 'standalone', least: 0.97 }],
    },
    {
      ...served,
      name: 'in front unmatched',
      title: 'In front of Express 5, a request that goes to Express',
      request: user,
      base: 'Express 5 alone',
      precise: true,
      contenders: [express('Express 5 alone'), ours({ fallback: true, prefix }, 'in front')],
      targets: [{ what: 'in front', against: 'Express 5 alone', least: 0.99 }],
    },
    {
      ...served,
      name: 'hooks',
      title: 'With helmet, cors, express-session and morgan',
      request: user,
      headers: ['content-security-policy', 'access-control-allow-origin'],
      base: 'Express 5',
      contenders: [express('Express 5', { hooks: true }), ours({ hooks: true })],
      targets: [{ what: us, against: 'Express 5', least: 3 }],
    },

    ...apps.map(({ name, title, request, options, most: [onClasses, inFront] }) => ({
      kind: 'memory',
      measure: 'cpu',
      unit: 'request',
      name: `app ${name}`,
      title: `An Express app of 20 routers with 10 routes each: ${title}`,
      request,
      base: 'Express alone',
      precise: true,
      contenders: Object.entries(ways).map(([way, name]) => ({
        name,
        file: 'routers',
        // Without a package where none runs, so that an earlier one does not run beside it.
        options: { ...(name.includes('(app)') && { entry }), way, ...options },
      })),
      targets: [
        { what: ways.createServer, against: ways['as it is'], least: 1 / onClasses },
        { what: ways['in front'], against: ways['as it is'], least: 1 / inFront },
      ],
    })),

    ...[
      ['by Express', 'as it is'],
      ['in front', 'in front'],
    ].map(([title, way]) => ({
      kind: 'memory',
      measure: 'cpu',
      unit: 'request',
      name: `beside ${title}`,
      title: `The same app with the four, a native callback before each handler: ${title}`,
      request: thing,
      base: 'the handler alone',
      precise: true,
      contenders: [
        ['the handler alone', undefined],
        ['native', 'native'],
        ['fromExpress', 'as it is'],
        ['left to the handler', 'legacy'],
        ['an empty function', 'empty'],
      ].map(([name, beside]) => ({
        name,
        file: 'routers',
        options: { entry, way, middleware: 'four', ...(beside && { beside }) },
      })),
      targets: ['native', 'left to the handler'].map((what) => ({
        what,
        against: 'the handler alone',
        least: 1 / 1.02,
      })),
    })),

    ...[
      ['beside', 'native callbacks in its routes'],
      ['in front', 'Controllers in front of it'],
    ].flatMap(([way, title]) => {
      const switched = (name, options) => ({
        name,
        file: 'switched',
        options: { ...(options.state && { entry }), way, ...options },
      })
      const stay = [
        switched('the app alone', {}),
        switched('legacy', { state: 'legacy' }),
        switched('canary', { state: 'canary 0.01%' }),
      ]
      const row = { measure: 'cpu', unit: 'request', request: thing, base: 'the app alone', precise: true }
      return [
        {
          ...row,
          kind: 'served',
          name: `switched ${way}`,
          title: `The same app with the four under migration(), all answers by legacy: ${title}`,
          contenders: stay,
          targets: [{ what: 'canary', against: 'the app alone', least: 1 / 1.15 }],
        },
        {
          ...row,
          kind: 'memory',
          name: `switched ${way} in memory`,
          title: `The same in memory, with all copies: ${title}`,
          contenders: [
            ...stay,
            switched('canary, shadow: false', { state: 'canary 0.01%', shadow: false }),
            switched('shadow', { state: 'shadow' }),
          ],
          targets: [],
          thorough: true,
        },
      ]
    }),

    ...eachRequest((request, title) => ({
      kind: 'fetch',
      measure: 'cpu',
      unit: 'request',
      name: `fetch ${title}`,
      title: `getCallback(), no sockets, native Responses: ${title}`,
      request,
      base: 'new Response',
      contenders: [rival('new Response', 'node-http'), ours(), rival('Hono', 'hono'), rival('h3', 'h3')],
      targets: [
        { what: us, against: 'Hono', least: 1 },
        { what: us, against: 'h3', least: 1 },
      ],
    })),

    ...[
      { name: 'large json', title: '1 MiB of JSON in and out', transfer: 'json', amount: 24 },
      { name: 'large down', title: '100 MiB of a stream down', transfer: 'down', amount: 100 },
      { name: 'large up', title: '100 MiB of a stream up', transfer: 'up', amount: 100 },
    ].map((row) => ({
      ...row,
      kind: 'transfer',
      measure: 'rate',
      unit: 'MiB',
      precise: true,
      base: bare.name,
      contenders: [
        rival(bare.name, 'large-node-http'),
        { name: us, file: 'large-routecontrollers', options: { entry } },
      ],
      targets: [{ what: us, against: bare.name, least: 0.95 }],
      mostGrowthMiB: 32,
    })),
  ]
  return before === undefined ? rows : rows.map((row) => withEarlier(row, before))
}

function eachRequest(create) {
  return Object.entries(requests).map(([title, request]) => create(request, title))
}

/** Beside each contender that runs the package one that runs the earlier package. */
function withEarlier(row, entry) {
  return {
    ...row,
    contenders: row.contenders.flatMap((item) =>
      item.options.entry === undefined
        ? [item]
        : [item, { ...item, name: `${item.name}, before`, options: { ...item.options, entry } }],
    ),
  }
}
