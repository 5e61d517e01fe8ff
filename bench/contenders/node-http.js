/** What everything is compared with: node:http by hand, which knows its three routes and nothing else. */
import { createServer } from 'node:http'
import { listen } from './support/listen.js'
import { readJson } from './support/read-json.js'

export const start = () =>
  listen(createServer((req, res) => answer(req, res, () => res.writeHead(404).end())))

/** A Connect middleware that does the same, for the rows inside Express. */
export function answer(req, res, next) {
  const { method, url } = req
  if (method === 'GET') {
    if (url === '/hello') return sendJson(res, { message: 'Hello' })
    if (url.startsWith('/users/')) return sendJson(res, { id: url.slice('/users/'.length) })
  } else if (method === 'POST' && url === '/echo') {
    return readJson(req, (value) => sendJson(res, value))
  }
  next()
}

export function sendJson(res, value) {
  const body = JSON.stringify(value)
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  res.end(body)
}

/** The least that a fetch handler can do, for the rows without sockets. */
export function createFetch() {
  return async (request) => {
    const { method, url } = request
    const path = url.slice(url.indexOf('/', 'http://'.length))
    if (method === 'POST') return toResponse(await request.json())
    return toResponse(path === '/hello' ? { message: 'Hello' } : { id: path.slice('/users/'.length) })
  }
}

function toResponse(value) {
  return new Response(JSON.stringify(value), {
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  })
}
