// The middleware of the app `connect`, in one bundle with it.
import compression from 'compression'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import express from 'express'
import session from 'express-session'
import helmet from 'helmet'
import { fromApp, toControllers } from 'routecontrollers/express'

export const packages = { compression, cookieParser, cors, express, fromApp, helmet, session, toControllers }
