import createClient, { type Client } from 'openapi-fetch'
import type { paths } from './client-types.js'

/** A client of the API; its types are made of the document by `npm run example:api:client`. */
export function createApiClient(baseUrl: string, token: string): Client<paths> {
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } })
}
