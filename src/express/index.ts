export type { Application, ApplicationOptions } from './application.js'
export { fromExpress } from './from-express.js'
export type {
  CookieOptions,
  ErrorHandler,
  ExpressQuery,
  ExpressRequest,
  ExpressResponse,
  Handler,
  Handlers,
  NextFunction,
  SendFileOptions,
} from './handler.js'
export type { ParamCallback, ParamCallbacks } from './routing/param-callbacks.js'
export { type ExpressPath, expressPath } from './routing/path.js'
export { express4, express5, fromApp, type ProfileOptions } from './profiles.js'
export {
  type AppControllers,
  type LeftLayer,
  toControllers,
  type ToControllersOptions,
} from './to-controllers.js'
export type { ExpressSettings } from './settings.js'
export type { RenderCallback, ViewEngine } from './view.js'
