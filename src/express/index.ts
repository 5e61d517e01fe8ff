/**
 * Express handlers and whole Express apps, unchanged, on the code of the Express that you have installed.
 *
 * @module routecontrollers/express
 */
export { addControllers } from './add-controllers.js'
export { fromExpress } from './from-express.js'
export type {
  Application,
  CookieOptions,
  ErrorHandler,
  ExpressQuery,
  ExpressRequest,
  ExpressResponse,
  Handler,
  Handlers,
  NextFunction,
  RenderCallback,
  SendFileOptions,
  ViewEngine,
} from './handler.js'
export { type ExpressPath, expressPath } from './path.js'
export {
  type AppProfileOptions,
  express4,
  express5,
  fromApp,
  fromRouter,
  type ParamCallback,
  type ParamCallbacks,
  type ProfileOptions,
  type RouterProfileOptions,
} from './profiles.js'
export type { ExpressModule } from './express-module.js'
export {
  type AppControllers,
  type LeftLayer,
  toControllers,
  type ToControllersOptions,
} from './to-controllers.js'
export type { ExpressSettings } from './settings.js'
