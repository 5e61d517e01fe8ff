import compression from 'compression'
import history from 'connect-history-api-fallback'
import favicon from 'serve-favicon'
import serveStatic from 'serve-static'
import { join } from 'node:path'
import type { Hook } from 'routecontrollers'
import swaggerUi from 'swagger-ui-express'
import { type Case, type Route, sendAll } from './compare.js'

const folder = join(__dirname, 'public')
const long = 'word '.repeat(1000)

const rest: Route = ['*', '*', (req) => ({ status: 404, text: `nothing at ${req.originalUrl}` })]

export const content: Case[] = [
  {
    name: 'compression',
    middleware: () => [compression()],
    routes: [
      ['GET', '/long', () => ({ text: long })],
      ['GET', '/short', () => ({ text: 'short' })],
      ['GET', '/json', () => ({ json: Array(500).fill({ a: 1 }) })],
      [
        'GET',
        '/stream',
        () => ({ headers: { 'Content-Type': 'text/plain; charset=utf-8' }, chunks: [long, long] }),
      ],
      ['GET', '/image', () => ({ headers: { 'Content-Type': 'image/png' }, chunks: [long] })],
      ['GET', '/fixed', () => ({ headers: { 'Cache-Control': 'no-transform' }, text: long })],
      ['GET', '/tagged', () => ({ headers: { ETag: '"1"', Vary: 'Origin' }, text: long })],
      ['GET', '/empty', () => ({ status: 204, text: '' })],
    ],
    script: (send) =>
      sendAll(
        send,
        ...[
          'gzip',
          'deflate',
          'br',
          'gzip, br',
          'gzip;q=0.5, br;q=0.1',
          'identity',
          'gzip;q=0',
          '*',
          'zstd',
        ].map((accepted) => ['/long', { headers: { 'accept-encoding': accepted } }] as const),
        ...['/short', '/json', '/stream', '/image', '/fixed', '/tagged', '/empty'].map(
          (target) => [target, { headers: { 'accept-encoding': 'gzip' } }] as const,
        ),
        ['/long', { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } }],
        ['/long'],
      ),
  },
  {
    name: 'compression (own threshold and filter)',
    middleware: () => [compression({ threshold: 4, filter: (req) => req.headers['x-plain'] === undefined })],
    routes: [['GET', '/short', () => ({ text: 'short' })]],
    script: (send) =>
      sendAll(
        send,
        ['/short', { headers: { 'accept-encoding': 'gzip' } }],
        ['/short', { headers: { 'accept-encoding': 'gzip', 'x-plain': '1' } }],
      ),
  },
  {
    name: 'serve-static',
    every: true,
    middleware: () => [
      ['/files', serveStatic(folder, { maxAge: '1d' })],
      ['/strict', serveStatic(folder, { fallthrough: false, redirect: false })],
      serveStatic(folder, { index: false, extensions: ['txt'] }),
    ],
    routes: [['GET', '/plain.txt', () => ({ text: 'never: the file comes first' })]],
    behind: [rest],
    notForOne: 'files are served at many paths',
    inMemory: 'a path with `..` comes resolved, as the URL of a `Request` has it',
    script: (send, serving) =>
      sendAll(
        send,
        ...[
          '/plain.txt',
          '/files/plain.txt',
          '/files/style.css',
          '/files/',
          '/files/docs',
          '/files/docs/',
        ].map((target) => [target] as const),
        ...['/files', '/plain', '/docs', '/missing.txt', '/files/missing?x=1', '/strict/missing'].map(
          (target) => [target] as const,
        ),
        ...['/strict/docs', '/files/%2e%2e%2fcompare.ts', '/files/%00', '/strict/%', '/files/.hidden'].map(
          (target) => [target] as const,
        ),
        ...(serving?.onNode
          ? ['/../compare.ts', '/files/../../compare.ts', '/strict/../compare.ts', '//plain.txt', '//evil/..']
          : []
        ).map((target) => [target] as const),
        ['/plain.txt', { method: 'HEAD' }],
        ['/plain.txt', { method: 'POST' }],
        ['/strict/plain.txt', { method: 'POST' }],
        ...['bytes=0-4', 'bytes=-5', 'bytes=5-', 'bytes=900-', 'bytes=0-1,4-5', 'lines=1-2'].map(
          (range) => ['/plain.txt', { headers: { range } }] as const,
        ),
        ['/plain.txt', { headers: { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' } }],
        ['/plain.txt', { headers: { 'if-none-match': '*' } }],
        ['/plain.txt', { headers: { 'if-match': '"other"' } }],
      ),
  },
  {
    name: 'serve-favicon',
    every: true,
    middleware: () => [favicon(Buffer.from('an icon'))],
    routes: [['GET', '/hello', () => ({ text: 'hello' })]],
    behind: [rest],
    notForOne: 'it answers at a path of its own',
    script: (send) =>
      sendAll(
        send,
        ['/favicon.ico'],
        ['/favicon.ico?v=2', { method: 'HEAD' }],
        ['/favicon.ico', { method: 'POST' }],
        ['/favicon.ico', { method: 'OPTIONS' }],
        ['/favicon.ico', { headers: { 'if-none-match': '*' } }],
        ['/hello'],
        ['/other.ico'],
      ),
  },
  {
    name: 'swagger-ui-express',
    every: true,
    middleware: () =>
      [...swaggerUi.serve, swaggerUi.setup({ openapi: '3.0.0', info: { title: 'Shop', version: '1' } })].map(
        (hook) => ['/docs', hook as unknown as Hook] as const,
      ),
    routes: [['GET', '/hello', () => ({ text: 'hello' })]],
    behind: [rest],
    notForOne: 'it serves a page with its files at many paths',
    script: (send) =>
      sendAll(
        send,
        ...['/docs/', '/docs', '/docs/swagger-ui-init.js', '/docs/swagger-ui.css', '/docs/package.json'].map(
          (target) => [target] as const,
        ),
        ['/docs/swagger-ui.css', { headers: { range: 'bytes=0-9' } }],
        ['/hello'],
        ['/elsewhere'],
      ),
  },
  {
    name: 'connect-history-api-fallback',
    every: true,
    middleware: () => [history({ rewrites: [{ from: /^\/old/, to: '/hello' }] }), serveStatic(folder)],
    routes: [['GET', '/hello', (req) => ({ json: { url: req.url, originalUrl: req.originalUrl } })]],
    behind: [rest],
    notForOne: 'it rewrites paths that have no controller',
    script: (send) =>
      sendAll(
        send,
        ...['/users/7', '/old', '/users/7.png', '/hello', '/docs/', '/style.css'].flatMap((target) => [
          [target, { headers: { accept: 'text/html' } }] as const,
          [target, { headers: { accept: 'application/json' } }] as const,
        ]),
        ['/users/7', { method: 'POST', headers: { accept: 'text/html' } }],
        ['/users/7', { method: 'HEAD', headers: { accept: 'text/html' } }],
      ),
  },
]
