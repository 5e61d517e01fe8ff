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
export { express4, express5, fromApp, type ProfileOptions } from './profiles.js'
export {
  type AppControllers,
  type LeftLayer,
  toControllers,
  type ToControllersOptions,
} from './to-controllers.js'
