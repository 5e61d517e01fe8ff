import { builtin } from '../ground/builtin.js'
import { Controller } from '../define/controller.js'
import type { RouteDescription } from '../define/describe-routes.js'
import { RouteControllersError } from '../ground/errors.js'
import { escapeHtml } from '../ground/escape-html.js'
import { findInstalled, namePlaces } from '../ground/installed.js'
import { nameType, wrongOption } from '../ground/options.js'
import type { RouteRequest } from '../request/request.js'
import type { ResponseBuilder } from '../answer/response.js'
import { openApi, sizeOf } from './document.js'
import { checkOpenApiOptions, checkPaths, type OpenApiOptions, type OpenApiPaths } from './options.js'
import type { ExpressApp, HasRoutes } from './types.js'

/**
 * Controllers that serve the document of an API, and a page on which people read and try it.
 *
 * Give a function as `routeControllers` where these Controllers are among its own, and for an app of Express. The first request for the document makes it.
 * It is made again once routes were added. The page is Swagger UI from the installed package swagger-ui-dist: it loads
 * nothing from elsewhere, and its Content-Security-Policy allows nothing else. The document contains neither. Throws
 * ERR_SWAGGER_UI_MISSING where that package is not installed, and ERR_OPTION_INVALID.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers } from 'routecontrollers'
 * import { openApiControllers } from 'routecontrollers/openapi'
 *
 * const routeControllers: RouteControllers = new RouteControllers([
 *   new Controller('GET', '/users/:id', (req) => req.params.id),
 *   ...openApiControllers(() => routeControllers, { info: { title: 'Users', version: '1.0.0' } }),
 * ])
 * const answer = await routeControllers.getCallback()(new Request('http://x/openapi.json'))
 * console.log(((await answer.json()) as { openapi: string }).openapi) // 3.1.0
 * ```
 */
export function openApiControllers(
  routeControllers: HasRoutes | (() => HasRoutes | ExpressApp),
  options: OpenApiOptions,
  paths: OpenApiPaths = {},
): Controller[] {
  const owner = 'openApiControllers'
  if (
    typeof routeControllers !== 'function' &&
    !Array.isArray((routeControllers as HasRoutes | null)?.routes)
  ) {
    throw wrongOption(
      `${owner}: routeControllers`,
      'RouteControllers, or a function that gives them',
      nameType(routeControllers),
    )
  }
  checkOpenApiOptions(owner, options)
  checkPaths(owner, paths)
  const { path = '/openapi.json', page = '/docs' } = paths
  const textOf = documentText(
    typeof routeControllers === 'function' ? routeControllers : () => routeControllers,
    options,
  )
  const document = hiddenRoute(path, (req, res) => {
    res.header('Content-Type', 'application/json; charset=utf-8')
    return res.send(textOf(mountOf(req), document))
  })
  return page === false ? [document] : [document, ...pageControllers(page, path, options, paths.swaggerUi)]
}

type Callback = (req: RouteRequest, res: ResponseBuilder) => Response

function hiddenRoute(path: string, callback: Callback): Controller {
  return new Controller('GET', path, callback, { hidden: true })
}

/** The path below which a host has mounted what serves this request; empty where nothing is mounted. */
function mountOf({ url, originalUrl }: RouteRequest): string {
  const mount = originalUrl.endsWith(url) ? originalUrl.slice(0, -url.length) : ''
  // Two slashes would name another host. Of an absolute-form target the path is not known here.
  return mount.startsWith('/') ? mount.replace(/^\/+/, '/') : ''
}

/** The document as text, made again only where routes were added: for thousands of routes this is slow, and any client may ask for it. */
function documentText(
  find: () => HasRoutes | ExpressApp,
  options: OpenApiOptions,
): (mount: string, by: Controller) => string {
  let made: { text: string; size: number | undefined } | undefined
  return (mount, by) => {
    const found = find()
    const size = sizeOf(found)
    if (made === undefined || made.size !== size)
      made = { text: JSON.stringify(openApi(found, options)), size }
    // The mount is theirs too only where they serve this document. The paths of an app are whole.
    if (mount === '' || options.servers !== undefined || !hasDocument(found, by)) return made.text
    return `{"servers":${JSON.stringify([{ url: mount }])},${made.text.slice(1)}`
  }
}

function hasDocument(found: HasRoutes | ExpressApp, { method, pattern }: Controller): boolean {
  const { routes } = found as { readonly routes?: readonly RouteDescription[] }
  if (!Array.isArray(routes)) return false
  const isIt = ({ path, options, ...route }: RouteDescription): boolean =>
    route.method === method && path === pattern.source && options.hidden === true
  return (routes as readonly RouteDescription[]).some(isIt)
}

function pageControllers(page: string, path: string, options: OpenApiOptions, folder?: string): Controller[] {
  const read = swaggerUi(folder)
  const name = page.slice(page.lastIndexOf('/') + 1)
  const toRoot = '../'.repeat(page.split('/').length - 2)
  const policy = policyFor(options)
  return [
    hiddenRoute(page, (req, res) => {
      // Addresses are relative, because the mount path is not known here. Express also accepts a slash at the end.
      const isFolder = /^[^?]*\/(?:\?|$)/.test(req.url)
      const html = pageText(
        options.info.title,
        isFolder ? '.' : name,
        (isFolder ? '../' : '') + toRoot + path.slice(1),
      )
      res.header('Content-Security-Policy', policy).header('Cache-Control', 'no-cache')
      return res.html(html)
    }),
    hiddenRoute(`${page}/start.js`, (_req, res) => {
      res.header('Content-Type', 'text/javascript; charset=utf-8').header('Cache-Control', 'no-cache')
      return res.send(startScript)
    }),
    ...Object.entries(assets).map(([file, type]) =>
      hiddenRoute(`${page}/${file}`, (req, res) => {
        res.header('Content-Type', type).header('ETag', read.etag).header('Cache-Control', 'no-cache')
        if (req.get('if-none-match') === read.etag) return res.status(304).end()
        return res.send(read.file(file))
      }),
    ),
  ]
}

const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

/** The files of Swagger UI, read when they are first asked for. Throws ERR_SWAGGER_UI_MISSING where there are none. */
function swaggerUi(folder: string | undefined): { etag: string; file: (name: string) => Uint8Array } {
  const what = 'the page of openApiControllers'
  const { readFileSync } = builtin('node:fs', what)
  const path = builtin('node:path', what)
  const files = new Map<string, Uint8Array>()
  try {
    const manifest = folder ? path.resolve(folder, 'package.json') : resolveSwaggerUi(what)
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
    return {
      etag: `"swagger-ui-${version}"`,
      file(name) {
        const bytes = files.get(name) ?? readFileSync(path.join(manifest, '..', name))
        files.set(name, bytes)
        return bytes
      },
    }
  } catch (cause) {
    throw new RouteControllersError(
      'ERR_SWAGGER_UI_MISSING',
      `The page of openApiControllers needs the package swagger-ui-dist, which is not at ${folder ?? namePlaces(what)}: npm install swagger-ui-dist, or leave the page out with { page: false }`,
      { cause },
    )
  }
}

function resolveSwaggerUi(what: string): string {
  const [found] = findInstalled('swagger-ui-dist', what)
  if (found === undefined) throw new Error('It is not installed')
  return found.resolve('swagger-ui-dist/package.json')
}

/** Nothing but what is served here, and requests to what the document names: servers, and where OAuth2 and OpenID Connect give tokens. */
function policyFor({ servers = [], securitySchemes = {} }: OpenApiOptions): string {
  const named = [...servers.flatMap(urlsOf), ...Object.values(securitySchemes).flatMap(tokenUrlsOf)]
  const origins = named.flatMap((url) => {
    const origin = /^https?:\/\/[\w.:[\]-]+(?![\w.:[\]{-])/.exec(url)
    return origin === null ? [] : [origin[0]]
  })
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...new Set(origins)].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The URLs of a server, with each value that its variables may have. */
function urlsOf({ url, variables = {} }: NonNullable<OpenApiOptions['servers']>[number]): string[] {
  let urls = [url]
  for (const [name, variable] of Object.entries(variables)) {
    const { enum: values, default: value } = variable as { enum?: readonly string[]; default: string }
    const whole = (one: string, text: string): string => one.split(`{${name}}`).join(text)
    urls = urls.flatMap((one) => (values ?? [value]).map((text) => whole(one, text)))
  }
  return urls
}

/** The addresses that the page asks when a user signs in by a scheme (OpenAPI 3.1, "OAuth Flow Object"). */
function tokenUrlsOf(scheme: object | null): string[] {
  const { flows, openIdConnectUrl } = (scheme ?? {}) as { flows?: object | null; openIdConnectUrl?: unknown }
  const urls = Object.values(flows ?? {}).flatMap((flow: Flow | null | undefined) => [
    flow?.tokenUrl,
    flow?.refreshUrl,
  ])
  return [...urls, openIdConnectUrl].filter((url) => typeof url === 'string')
}

interface Flow {
  readonly tokenUrl?: unknown
  readonly refreshUrl?: unknown
}

function pageText(title: string, folder: string, document: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}/swagger-ui.css">
</head>
<body>
<div id="swagger-ui" data-document="${document}"></div>
<script src="${folder}/swagger-ui-bundle.js"></script>
<script src="${folder}/start.js"></script>
</body>
</html>
`
}

/** Swagger UI is dark by a class alone. `validatorUrl` is null, because otherwise Swagger UI would show what another host says about the document. */
const startScript = `const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()
const at = document.getElementById('swagger-ui')
SwaggerUIBundle({
  domNode: at,
  url: new URL(at.dataset.document, location.href).href,
  deepLinking: true,
  validatorUrl: null,
})
`
