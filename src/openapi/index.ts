/**
 * The OpenAPI document of your routes, and a page that shows it.
 *
 * @module routecontrollers/openapi
 */
export { openApi } from './document.js'
export { openApiControllers } from './controllers.js'
export type { LeftOutRoute, OpenApiInfo, OpenApiOptions, OpenApiPaths } from './options.js'
export type {
  ExpressApp,
  HasRoutes,
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from './types.js'
