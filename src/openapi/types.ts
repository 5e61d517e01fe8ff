import type { RouteDescription } from '../define/describe-routes.js'
import type { OpenApiInfo } from './options.js'

/** What has routes: RouteControllers. */
export interface HasRoutes {
  readonly routes: readonly RouteDescription[]
}

/** An app or a router of Express, whose native callbacks are routes. */
export type ExpressApp = (req: never, res: never, next: never) => unknown

/** A document of OpenAPI 3.1. */
export interface OpenApiDocument {
  openapi: '3.1.0'
  info: OpenApiInfo
  servers?: { url: string; description?: string }[]
  security?: Record<string, string[]>[]
  tags?: { name: string; description?: string }[]
  /** By path, then by method in lower case. */
  paths: Record<string, Record<string, OpenApiOperation>>
  components?: { schemas?: Record<string, unknown>; securitySchemes?: Record<string, object> }
}

/** One method of one path. */
export interface OpenApiOperation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  deprecated?: boolean
  security?: Record<string, string[]>[]
  parameters?: OpenApiParameter[]
  requestBody?: { required: boolean; content: OpenApiContent }
  /** By status, or `default`. */
  responses: Record<string, OpenApiResponse>
}

/** One param, field of the query, header or cookie. */
export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  deprecated?: boolean
  description?: string
  style?: string
  explode?: boolean
  schema: unknown
}

/** An answer of an operation: https://spec.openapis.org/oas/v3.1.1#response-object. */
export interface OpenApiResponse {
  description: string
  content?: OpenApiContent
}

/** A JSON Schema for each type of content. */
export type OpenApiContent = Record<string, { schema: unknown }>
