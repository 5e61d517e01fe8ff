import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ReadRules } from '../body/limits.js'
import { errorAnswer } from '../answer/error-answer.js'
import { RouteControllersError } from '../ground/errors.js'
import { sendsBody } from '../request/exchange.js'
import { describeThrown, log } from '../ground/log.js'
import { checkArgument, hasMethods } from '../ground/options.js'
import { parseBody } from '../request/parse-body.js'
import type { RouteRequest } from '../request/request.js'
import { ResponseBuilder } from '../answer/response.js'
import { decodeParams } from '../routing/params.js'
import type { Logger } from '../ground/types.js'
import { withHeaders } from '../answer/answer.js'
import { type Host, NodeExchange } from './exchange.js'
import { applyHeaders, sendResponse } from './send-response.js'

// Helpers for node:http handlers outside of RouteControllers, which take Node's own request or response.

/** What `getRequestObject` gives. */
export async function requestObjectOf(
  req: IncomingMessage,
  host: Host,
  rules: ReadRules,
  bodyLimit: number,
): Promise<RouteRequest> {
  const fits = hasMethods(req, 'on') && typeof req.headers === 'object' && typeof req.url === 'string'
  checkArgument('getRequestObject', 'the request of a node:http server', req, fits)
  const { res } = req as { res?: ServerResponse }
  const exchange = new NodeExchange(req, res, host, undefined, undefined, rules)
  const request = exchange.prepare(bodyLimit)
  request.params ??= decodeParams([], [])
  exchange.isNative = true
  if (exchange.hasBody) await parseBody(exchange, request)
  return request
}

/** What `getResponseObject` gives. */
export function responseObjectOf(res: ServerResponse, host: Host, logger: Logger): ResponseBuilder {
  checkResponse('getResponseObject', res)
  const exchange = new NodeExchange(res.req, res, host)
  const builder = new ResponseBuilder(exchange, (answer) => {
    if (answer === undefined) {
      log(logger, 'error', `${exchange.method} ${exchange.path}: ${describeThrown(builder.misuse)}`)
    }
    void exchange.send(answer ?? errorAnswer(builder.misuse, exchange.header('accept')), logger)
  })
  return builder
}

/** Puts headers on a response, names and values one after the other. */
export function setResponseHeaders(res: ServerResponse, headers: readonly string[]): void {
  checkResponse('setResponseHeaders', res)
  applyHeaders(res, headers)
}

/** Answers 404 or 500 on a response, unless it has been answered. */
export function refuse(
  method: 'notFound' | 'serverError',
  res: ServerResponse,
  message: string | undefined,
  headers: readonly string[],
): void {
  checkResponse(method, res)
  const fits = message === undefined || typeof message === 'string'
  checkArgument(method, 'a message, after the response,', message, fits)
  const error = method === 'notFound' ? new RouteControllersError('ERR_NOT_FOUND', 'Not Found') : undefined
  const answer = withHeaders(errorAnswer(error, res.req?.headers.accept, message), headers)
  void sendResponse(res, answer, sendsBody(res.req?.method, res), () => res.destroy())
}

function checkResponse(method: string, res: unknown): void {
  checkArgument(method, 'the response of a node:http server', res, hasMethods(res, 'setHeader', 'end', 'on'))
}
