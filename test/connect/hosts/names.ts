/** The hosts that mount us, by the names that the table in docs/connect.md gives them; with the package, where it is one. */
export const hostNames = {
  'Express 5': 'express',
  'Express 4': 'express4',
  'Connect 3': 'connect',
  'polka 0.5': 'polka',
  'restana 5': 'restana',
  'Koa 3 with koa-connect': 'koa',
  'Fastify 5 with @fastify/middie': 'fastify',
  'Fastify 5 with @fastify/express': 'fastify',
  'Nest 12 on platform-express': '@nestjs/core',
  "Vite 8's dev server": 'vite',
  'h3 2 with fromNodeHandler': 'h3',
  'node:http, with a `next`': undefined,
  'node:http, without': undefined,
} as const

export type HostName = keyof typeof hostNames
