// Runs a handler in the adapters for cloud functions that programs use.
import codegenie from '@codegenie/serverless-express'
import express from 'express'
import { Controller, RouteControllers, toListener } from 'routecontrollers'
import serverlessHttp from 'serverless-http'

const json = { 'Content-Type': 'application/json' }
const large = JSON.stringify('x'.repeat(5_000_000))
const questions = [
  ['GET', '/users/7', undefined, 200],
  ['HEAD', '/users/7', undefined, 200],
  ['POST', '/read', '{"tea":1}', 200],
  ['POST', '/unread', '{"tea":1}', 200],
  ['POST', '/unread', large, 200],
  ['POST', '/read', large, 413],
  ['GET', '/stream', undefined, 200],
  ['POST', '/none', '{"tea":1}', 404],
]
const pieces = async function* () {
  yield 'one'
  yield 'two'
}
const make = () =>
  new RouteControllers(
    [
      new Controller('GET', '/users/:id', (req, res) => res.json({ id: req.params.id })),
      new Controller('POST', '/read', (req, res) => res.json(req.body)),
      new Controller('POST', '/unread', (_req, res) => res.json({}), { body: 'stream' }),
      new Controller('GET', '/stream', (_req, res) => res.stream(pieces())),
    ],
    { logger: { info() {}, warn() {}, error() {} } },
  )
const handlers = [
  toListener(make().getCallback()),
  toListener(
    make()
      .addGlobal((_req, _res, next) => next())
      .getCallback(),
  ),
  toListener(make().getCallback(), { fallback: express() }),
  express().use(make().middleware()),
]
const adapters = {
  'serverless-http': (handler) => serverlessHttp(handler),
  '@codegenie/serverless-express': (handler) => {
    const app =
      'handle' in handler ? handler : Object.assign((...all) => handler(...all), { handle: handler })
    return codegenie({ app })
  },
}

function event(method, path, body) {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers: { Host: 'functions.example', ...json, ...length },
    requestContext: { accountId: 'a', http: { method, path, sourceIp: '192.0.2.1' } },
    isBase64Encoded: false,
    ...(body !== undefined && { body }),
  }
}

for (const [name, adapt] of Object.entries(adapters)) {
  let wrong = 0
  for (const [method, path, body, status] of questions) {
    for (const handler of handlers) {
      // Express itself logs the error of its page.
      if (status === 413 && handler === handlers.at(-1)) continue
      const answer = await adapt(handler)(event(method, path, body), {})
      if (answer.statusCode === status && (path !== '/stream' || answer.body === 'onetwo')) continue
      wrong++
      console.log(name, handlers.indexOf(handler), method, path, answer.statusCode, answer.body)
    }
  }
  console.log(name, wrong === 0 ? 'answered' : `${wrong} wrong answers`)
}
