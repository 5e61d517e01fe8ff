/**
 * Express handlers and whole Express apps, unchanged, on the code of the Express that you have installed.
 *
 * @module routecontrollers/express
 */
export { native, type NativeCallback, type NativeHandler } from './beside/native.js'
export { addControllers } from './take-over/add-controllers.js'
export { type AppServerOptions, createServer } from './take-over/create-server.js'
export { download, sendFile, sendValue } from './take-over/express-answers.js'
export { fromExpress } from './take-over/from-express.js'
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
} from './model/express-types.js'
export { type ExpressPath, expressPath } from './model/path.js'
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
} from './take-over/profiles.js'
export type { ExpressModule } from './model/express-module.js'
export { serve, type ServeAppOptions } from './take-over/serve.js'
export {
  type AppControllers,
  type LeftLayer,
  toControllers,
  type ToControllersOptions,
} from './take-over/to-controllers.js'
export type { ExpressSettings } from './members/settings.js'
