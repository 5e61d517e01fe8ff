// Compiles, or does not: what a document is made of, and what it gives.
import { Controller, RouteControllers } from 'routecontrollers'
import { openApi, openApiControllers, type OpenApiDocument } from 'routecontrollers/openapi'

const info = { title: 'Teas', version: '1.0.0' }
const routeControllers: RouteControllers = new RouteControllers([
  new Controller('GET', '/teas', () => 'teas', { tags: ['teas'], hidden: false }),
  ...openApiControllers(() => routeControllers, { info }, { page: false }),
])
const document: OpenApiDocument = openApi(routeControllers, { info, security: [{ bearer: [] }] })
const operationId: string | undefined = document.paths['/teas']?.['get']?.operationId
void operationId
// @ts-expect-error the version is missing
openApi(routeControllers, { info: { title: 'Teas' } })
// @ts-expect-error these have no routes
openApi([], { info })
// @ts-expect-error an option that does not exist
openApi(routeControllers, { info, tittle: 'Teas' })
