import { checkSecurity, type SecurityRequirements } from '../define/guard-notes.js'
import {
  checkFunction,
  checkOptions,
  checkText,
  isOptions,
  nameType,
  type OptionChecks,
  shown,
  wrongOption,
} from '../ground/options.js'
import { isSchema } from '../define/schema.js'
import type { StandardSchema } from '../ground/standard-schema.js'

/** What the document says about the API as a whole. `title` and `version` are required. */
export interface OpenApiInfo {
  title: string
  /** The version of the API, not of OpenAPI. */
  version: string
  summary?: string
  description?: string
  termsOfService?: string
  contact?: { name?: string; url?: string; email?: string }
  license?: { name: string; identifier?: string; url?: string }
}

/** A route that the document leaves out, and why. */
export interface LeftOutRoute {
  readonly method: string
  readonly path: string
  readonly reason: string
}

/** Options of `openApi`. An unknown name throws ERR_OPTION_INVALID. */
export interface OpenApiOptions {
  info: OpenApiInfo
  /** The addresses of the API: `[{ url: 'https://example.com/api' }]`. Default: none, which is the root of the host of
   * the document, or in `openApiControllers` the path of the mount. */
  servers?: readonly { url: string; description?: string; variables?: object }[]
  /** The requirement of every operation that has none of its own, and none of its guards: `[{ bearer: [] }]`. */
  security?: SecurityRequirements
  /** The meaning of these requirements: `{ bearer: { type: 'http', scheme: 'bearer' } }`. */
  securitySchemes?: Readonly<Record<string, object>>
  /**
   * What `onError` answers to refused input: the schema of its JSON, with the content type where that is another one, or
   * `'problem'` where `onError` leaves refused input to the default. Default: any JSON where there is an `onError`, else the
   * problem (RFC 9457) that is sent without one.
   */
  errors?: StandardSchema | { readonly schema: StandardSchema; readonly type?: string } | 'problem'
  /** Tags with their meaning, in the order of the document. Tags that only routes name come after them. */
  tags?: readonly { name: string; description?: string; externalDocs?: object }[]
  /** Gets each route that OpenAPI cannot express. `hidden` routes are not among them. */
  onLeftOut?: (route: LeftOutRoute) => void
}

const checks: OptionChecks<OpenApiOptions> = {
  info(option, value) {
    if (!isOptions(value))
      throw wrongOption(option, "an object such as { title: 'Shop', version: '1.0.0' }", nameType(value))
    const { title, version } = value as Partial<OpenApiInfo>
    checkText(`${option}.title`, title)
    checkText(`${option}.version`, version)
  },
  servers: listOf('url'),
  security: checkSecurity,
  securitySchemes(option, value) {
    if (!isOptions(value)) throw wrongOption(option, 'an object of security schemes', nameType(value))
  },
  errors(option, value) {
    if (value === 'problem' || isSchema(value)) return
    const { schema, type } = (value ?? {}) as { schema?: unknown; type?: unknown }
    if (!isSchema(schema)) {
      throw wrongOption(option, "a schema, { schema, type } or 'problem'", shown(value))
    }
    if (type !== undefined) checkText(`${option}.type`, type)
  },
  tags: listOf('name'),
  onLeftOut: checkFunction,
}

function listOf(member: string) {
  return (option: string, value: unknown): void => {
    if (!Array.isArray(value)) throw wrongOption(option, `a list of objects with ${member}`, nameType(value))
    value.forEach((one: unknown, at) => {
      checkText(`${option}[${at}].${member}`, (one as Record<string, unknown> | null)?.[member])
    })
  }
}

/** Throws ERR_OPTION_INVALID for unknown options of `openApi`. */
export function checkOpenApiOptions(owner: string, options: OpenApiOptions): void {
  checkOptions(owner, options, checks)
  checks.info('info', options.info)
}

/** The paths of the document and of the page. */
export interface OpenApiPaths {
  /** The path of the document. Default `/openapi.json`. */
  path?: string
  /** The path of the page, false for none. Default `/docs`. */
  page?: string | false
  /** The folder of swagger-ui-dist. Default: as it is installed beside the entry, in the working directory or beside this package. */
  swaggerUi?: string
}

const pathChecks: OptionChecks<OpenApiPaths> = {
  path: checkStaticPath,
  page: (option, value) => (value === false ? undefined : checkStaticPath(option, value)),
  swaggerUi: checkText,
}

/** Throws ERR_OPTION_INVALID for paths that a page could not be served at. */
export function checkPaths(owner: string, paths: OpenApiPaths): void {
  checkOptions(owner, paths, pathChecks)
}

function checkStaticPath(option: string, value: unknown): void {
  checkText(option, value)
  if (/^(?:\/[\w.~-]+)+$/.test(value as string)) return
  throw wrongOption(
    option,
    "a path without params and without a slash at its end, such as '/docs'",
    JSON.stringify(value),
  )
}
