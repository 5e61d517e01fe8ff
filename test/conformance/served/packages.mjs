// The middleware of the app `connect`, in one bundle with it.
import compression from 'compression'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import session from 'express-session'
import helmet from 'helmet'

export const packages = { compression, cookieParser, cors, helmet, session }
