export { fromExpress } from './from-express.js'
export type {
  ErrorHandler,
  ExpressRequest,
  ExpressResponse,
  Handler,
  Handlers,
  NextFunction,
} from './handler.js'
export { type ExpressPath, expressPath } from './path.js'
export { express4, express5, type ProfileOptions } from './profiles.js'
