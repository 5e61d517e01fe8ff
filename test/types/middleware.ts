// Compiles, or does not: the middleware that test/middleware runs is accepted as it is, without a cast.
import bodyParser from 'body-parser'
import compression from 'compression'
import history from 'connect-history-api-fallback'
import timeout from 'connect-timeout'
import cookieParser from 'cookie-parser'
import cookieSession from 'cookie-session'
import cors from 'cors'
import { doubleCsrf } from 'csrf-csrf'
import express, { type NextFunction, type Request, type Response } from 'express'
import basicAuth from 'express-basic-auth'
import { rateLimit } from 'express-rate-limit'
import session from 'express-session'
import { slowDown } from 'express-slow-down'
import helmet from 'helmet'
import hpp from 'hpp'
import { createProxyMiddleware } from 'http-proxy-middleware'
import methodOverride from 'method-override'
import morgan from 'morgan'
import multer from 'multer'
import passport from 'passport'
import { pinoHttp } from 'pino-http'
import responseTime from 'response-time'
import { Controller, fromConnect, RouteControllers } from 'routecontrollers'
import favicon from 'serve-favicon'
import serveStatic from 'serve-static'
import swaggerUi from 'swagger-ui-express'

new RouteControllers([])
  .addGlobal(bodyParser.json())
  .addGlobal(compression())
  .addGlobal(history())
  .addGlobal(timeout('5s'))
  .addGlobal(cookieParser())
  .addGlobal(cookieSession({ keys: ['a'] }))
  .addGlobal(cors())
  .addGlobal(doubleCsrf({ getSecret: () => 'a', getSessionIdentifier: () => 'b' }).doubleCsrfProtection)
  .addGlobal(basicAuth({ users: { a: 'b' } }))
  .addGlobal(rateLimit())
  .addGlobal(session({ secret: 'a' }))
  .addGlobal(slowDown())
  .addGlobal(helmet())
  .addGlobal(hpp())
  .addGlobal('/api', createProxyMiddleware({ target: 'http://127.0.0.1' }), { scope: 'every' })
  .addGlobal(methodOverride())
  .addGlobal(morgan('combined'), { scope: 'every' })
  .addGlobal('/upload', multer().single('file'))
  .addGlobal(passport.initialize())
  .addGlobal(passport.session())
  .addGlobal('/login', passport.authenticate('local'))
  .addGlobal(pinoHttp())
  .addGlobal(responseTime())
  .addGlobal(favicon('favicon.ico'))
  .addGlobal('/files', serveStatic('public'))
  .addGlobal('/docs', swaggerUi.serve[0]!)
  .addGlobal('/docs', swaggerUi.setup({}))
  .addGlobal(express())
  .addGlobal(express.json())
  .addGlobal((req: Request, res: Response, next: NextFunction) => next())
  .addGlobal((error: Error, req: Request, res: Response, next: NextFunction) => next(error))

new Controller('GET', '/', () => null)
  .use(fromConnect(multer().single('file')))
  .use(fromConnect(bodyParser.raw()))
  .use(fromConnect(basicAuth({ users: { a: 'b' } })))
  .use(fromConnect(rateLimit()))
  .use(fromConnect(createProxyMiddleware({ target: 'http://127.0.0.1' })))
  .use(fromConnect(passport.authenticate('local')))
