import { writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import { format, resolveConfig } from 'prettier'
import { RouteControllers } from 'routecontrollers'
import { openApi } from 'routecontrollers/openapi'
import { apiOptions, createControllers } from './api.js'
import { createStore } from './store.js'

// Writes the types of the client: `npm run example:api:client`.
const [file = `${import.meta.dirname}/client-types.ts`] = process.argv.slice(2)
const controllers = createControllers(createStore(), () => ({ routes: [] }))
const document = openApi(new RouteControllers(controllers), apiOptions)
const types = astToString(await openapiTS(JSON.stringify(document)))
const options = { ...(await resolveConfig(import.meta.filename)), parser: 'typescript' }
writeFileSync(file, await format(`// Made by npm run example:api:client.\n${types}`, options))
