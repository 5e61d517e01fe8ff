export { fromExpress } from './from-express.js'
export type {
  ErrorHandler,
  ExpressRequest,
  ExpressResponse,
  Handler,
  Handlers,
  NextFunction,
} from './handler.js'
