import type { ServerResponse } from 'node:http'
import { isEventStream } from '../../src/node/event-stream.js'
import { nodePair } from '../support/node-pair.js'

/** What is said of a response whose head is sent by `answer`. */
function saidOf(answer: (res: ServerResponse) => void): boolean {
  const { res } = nodePair()
  answer(res)
  return isEventStream(res)
}

it.each<[string, (res: ServerResponse) => void]>([
  ['set before', (res) => res.setHeader('Content-Type', 'text/event-stream').flushHeaders()],
  ['given to writeHead', (res) => res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })],
  ['given with space around it', (res) => res.writeHead(200, ['CONTENT-TYPE', '  Text/Event-Stream'])],
  ['one header of several', (res) => res.writeHead(200, { 'X-A': '1', 'Content-Type': 'text/event-stream' })],
])('An answer of events is known by its type, %s', (_how, answer) => {
  expect(saidOf(answer)).toBe(true)
})

it('A head without a space after its colon says the same', () => {
  const res = { _header: 'HTTP/1.1 200 OK\r\nContent-Type:text/event-stream\r\n\r\n' }
  expect(isEventStream(res as never)).toBe(true)
})

it.each<[string, (res: ServerResponse) => void]>([
  ['has not begun', (res) => res.setHeader('Content-Type', 'text/event-stream')],
  ['is of another type', (res) => res.writeHead(200, { 'Content-Type': 'text/plain' })],
  ['has no type', (res) => res.writeHead(200)],
  ['names the type elsewhere', (res) => res.writeHead(200, { 'X-Content-Type': 'text/event-stream' })],
])('An answer that %s is none', (_how, answer) => {
  expect(saidOf(answer)).toBe(false)
})

it('A response that has no head of HTTP/1 at all is none', () => {
  expect(isEventStream({} as never)).toBe(false)
})
