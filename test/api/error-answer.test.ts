import { errorAnswer } from '../../src/answer/error-answer.js'
import { RouteControllersError } from '../../src/ground/errors.js'

const answerOf = (error: unknown, accept?: string): unknown => {
  const { statusCode, headerList, payload } = errorAnswer(error, accept)
  return [statusCode, headerList, accept === undefined ? payload : JSON.parse(payload as string)]
}
const json = ['Content-Type', 'application/problem+json']
const text = ['Content-Type', 'text/plain; charset=utf-8']

it('an error has a detail where that says more than its title', () => {
  const of = (message: string) => Object.assign(new Error(message), { status: 404 })
  const problem = { type: 'about:blank', title: 'Not Found', status: 404 }
  expect(answerOf(of('Not Found'), 'application/json')).toEqual([404, json, problem])
  expect(answerOf(of(''), 'application/json')).toEqual([404, json, problem])
  expect(answerOf(of('no such tea'), 'application/json')).toEqual([
    ...[404, json],
    { ...problem, detail: 'no such tea' },
  ])
  expect(answerOf(of(''))).toEqual([404, text, 'Not Found'])
})

it('an error has its headers, but none of a body', () => {
  const headers = {
    ...{ 'Retry-After': '3', 'Content-Type': 'x/y', 'Content-Length': '7', 'Content-Encoding': 'gzip' },
    ...{ 'Content-Range': 'bytes */7', 'Content-Language': 'de', Bad: 'a\nb', Connection: 'close' },
  }
  const error = Object.assign(new Error('wait'), { status: 503, expose: true, headers })
  expect(answerOf(error)).toEqual([503, ['Retry-After', '3', 'Content-Language', 'de', ...text], 'wait'])
})

it.each([
  ['application/json', true],
  ['text/html, application/problem+json;q=0.5', true],
  ['application/json;q=0.1', true],
  ['application/json;q=0', false],
  ['application/json; q=0.000, text/html', false],
  ['*/*', false],
  ['text/html', false],
])('a client that accepts %s gets JSON: %s', (accept, isJson) => {
  const error = new RouteControllersError('ERR_BODY_MALFORMED', 'The body is not valid JSON')
  expect(errorAnswer(error, accept).headerList.includes('application/problem+json')).toBe(isJson)
})
