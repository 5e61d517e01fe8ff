import 'reflect-metadata'
import type { Server } from 'node:http'
import fastifyExpress from '@fastify/express'
import middie from '@fastify/middie'
import { Controller as NestController, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import connect from 'connect'
import express5 from 'express'
import express4 from 'express4'
import Fastify, { type FastifyInstance } from 'fastify'
import { fromNodeHandler, H3, toNodeHandler } from 'h3'
import Koa from 'koa'
import koaConnect from 'koa-connect'
import { createServer as createNodeServer, type RequestListener } from 'node:http'
import polka from 'polka'
import restana from 'restana'
import type { ConnectHandler } from 'routecontrollers'
import { createServer as createVite } from 'vite'
import type { HostName } from './names.js'

/** Mounts our function at the root and below `/api`, then a route of its own, `GET /host`; resolves when it listens. */
type Listen = (middleware: ConnectHandler) => Promise<Server>

const own = 'the host'

/** A Connect function that is always given a `next`, as those of a host are. */
type Mounted = (...parameters: Required<Parameters<ConnectHandler>>) => void

function listenOn(listener: RequestListener): Promise<Server> {
  const server = createNodeServer(listener)
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

function onExpress(express: typeof express5): Listen {
  return (middleware) =>
    listenOn(
      express()
        .use('/api', middleware)
        .use(middleware)
        .get('/host', (_req, res) => void res.send(own)),
    )
}

async function onFastify(app: FastifyInstance): Promise<Server> {
  app.get('/host', () => own)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

// Nest's decorators are those of TypeScript's `experimentalDecorators`: applied here by hand.
class NestHost {
  host(): string {
    return own
  }
}
Get('host')(NestHost.prototype, 'host', Object.getOwnPropertyDescriptor(NestHost.prototype, 'host')!)
NestController()(NestHost)

class NestRoot {}
Module({ controllers: [NestHost] })(NestRoot)

export const hosts: Record<HostName, Listen> = {
  'Express 5': onExpress(express5),
  'Express 4': onExpress(express4),
  'Connect 3': (middleware) =>
    listenOn(
      connect()
        .use('/api', middleware as Mounted)
        .use(middleware as Mounted)
        .use('/host', (_req, res) => res.end(own)),
    ),
  'polka 0.5': (middleware) =>
    listenOn(
      polka()
        .use('/api', middleware)
        .use(middleware)
        .get('/host', (_req, res) => void res.end(own)).handler,
    ),
  async 'restana 5'(middleware) {
    const app = restana()
    app.use('/api', middleware as never)
    app.use(middleware as never)
    app.get('/host', (_req, res) => res.send(own))
    return app.start(0, '127.0.0.1')
  },
  'Koa 3 with koa-connect'(middleware) {
    const app = new Koa()
    app.silent = true
    app.use(koaConnect(middleware as Mounted))
    app.use((ctx, next) => {
      if (ctx.path !== '/host') return next()
      ctx.body = own
    })
    const listener = app.callback()
    return listenOn((req, res) => void listener(req, res))
  },
  async 'Fastify 5 with @fastify/middie'(middleware) {
    const app = Fastify()
    await app.register(middie)
    app.use('/api', middleware as Mounted).use(middleware as Mounted)
    return onFastify(app)
  },
  async 'Fastify 5 with @fastify/express'(middleware) {
    const app = Fastify()
    await app.register(fastifyExpress)
    app.use('/api', middleware as Mounted).use(middleware as Mounted)
    return onFastify(app)
  },
  async 'Nest 12 on platform-express'(middleware) {
    const app = await NestFactory.create(NestRoot, { logger: false })
    app.use('/api', middleware)
    app.use(middleware)
    return (await app.listen(0, '127.0.0.1')) as Server
  },
  async "Vite 8's dev server"(middleware) {
    const vite = await createVite({
      configFile: false,
      logLevel: 'silent',
      appType: 'custom',
      optimizeDeps: { noDiscovery: true },
      server: { middlewareMode: true, ws: false, watch: null },
    })
    vite.middlewares
      .use('/api', middleware as Mounted)
      .use(middleware as Mounted)
      .use('/host', (_req, res) => res.end(own))
    return listenOn(vite.middlewares)
  },
  'h3 2 with fromNodeHandler'(middleware) {
    const app = new H3()
    app.use(fromNodeHandler(middleware as never))
    app.get('/host', () => own)
    return listenOn(toNodeHandler(app))
  },
  'node:http, with a `next`': (middleware) =>
    listenOn((req, res) =>
      middleware(req, res, (error) => {
        const isOwn = error === undefined && req.url === '/host'
        res.statusCode = isOwn ? 200 : error === undefined ? 404 : 500
        res.end(isOwn ? own : `nothing but ${res.statusCode}`)
      }),
    ),
  'node:http, without': (middleware) => listenOn((req, res) => middleware(req, res)),
}
