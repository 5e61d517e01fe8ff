import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Router } from 'express'
import { createRouteControllers } from './controllers.js'
import { createLegacyApp } from './legacy-app.js'
import type { Setup } from './setup.js'

export interface Urls {
  inside: string
  inFront: string
  standalone: string
  takenOver: string
}

/** What `npm start` prints: where everything listens, who answers which route, and what to try. */
export function guide(setup: Setup, urls: Urls, adminToken: string, tour: string): string {
  // Cookies know no ports: one jar serves all four, as one browser would.
  const jar = join(tmpdir(), 'tea-shop.cookies')
  const curl = `curl -s -b ${jar} -c ${jar}`

  return `
The tea shop listens four times:

${table([
  [urls.inside, 'an Express app with RouteControllers inside'],
  [urls.inFront, 'RouteControllers in front of the Express app'],
  [urls.standalone, 'the routes that have moved, without Express'],
  [urls.takenOver, 'the app as it was, by toControllers(app), without Express in front of a route'],
])}

Who answers on the first three (a Controller's answers have the header X-Answered-By); on the last, Controllers answer all:

${table([['ROUTE', '', 'INSIDE', 'IN FRONT', 'STANDALONE'], ...whoAnswers(setup)])}

Try, one after the other (below each stands its output):

  curl -s ${urls.inside}/health
  # {"status":"ok","products":16}

  curl -s ${urls.inFront}/products/sencha
  # {"id":"sencha","name":"Sencha","category":"green","price":890,"stock":40}

  curl -s ${urls.standalone}/orders
  # Not Found

  curl -s -o /dev/null -w '%{http_code}' ${urls.takenOver}/orders
  # 401

A cart filled by a Controller in front, logged in inside, ordered through Express, reported without it:

  ${curl} -H 'Content-Type: application/json' -d '{"productId":"matcha","quantity":2}' ${urls.inFront}/cart
  # {"lines":[{"productId":"matcha","name":"Matcha, ceremonial grade","quantity":2,"total":4900}],"total":4900}

  ${curl} -d name=Ada ${urls.inside}/login
  # Found. Redirecting to /

  ${curl} -X POST -o /dev/null -w '%{http_code}' ${urls.inFront}/orders
  # 201

  curl -s -H 'X-Admin-Token: ${adminToken}' ${urls.standalone}/admin/report
  # {"orders":1,"revenue":4900,"sold":[{"productId":"matcha","name":"Matcha, ceremonial grade","quantity":2,"total":4900}]}

Open ${tour}/ in a browser: the shop, its routes, a migration under way and an API, with links.

Ctrl+C stops all of them.
`
}

/** The routes of the app as it was, each with who answers it now. */
function whoAnswers(setup: Setup): string[][] {
  const routeControllers = createRouteControllers(setup)
  return routesOf(createLegacyApp(setup).router).map(([method, path]) => {
    const moved = routeControllers.checkRoute(`${method}:${path}`).exists
    const whole = moved ? 'Controller' : 'Express'
    return [method, path, whole, whole, moved ? 'Controller' : '404']
  })
}

/** Method and path of every route of an Express router and of the routers in it. */
function routesOf({ stack }: Pick<Router, 'stack'>): [method: string, path: string][] {
  return stack.flatMap(({ route, handle }) => {
    if (route) return route.stack.map(({ method }): [string, string] => [method.toUpperCase(), route.path])
    return 'stack' in handle ? routesOf(handle as Router) : []
  })
}

function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const padded = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column]!))
  return rows.map((row) => `  ${padded(row).join('  ')}`.trimEnd()).join('\n')
}
