import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import express from 'express'
import { checkMigration, createLock, inspect } from '@routecontrollers/cli'
import { isWhole } from '../support/counts.js'
import { checkPage } from '../../packages/cli/src/report/check-page.js'
import { inventoryPage } from '../../packages/cli/src/report/inventory-page.js'
import { keepReading } from './keep-reading.js'

keepReading()

const app = express()
app.use('/admin', function requireAdmin(_req, _res, next) {
  next()
})
app.get('/admin/users/:id', (_req, res) => void res.end())
app.get('/admin/orders', (_req, res) => void res.end())
app.get('/health', (_req, res) => void res.end())
app.get('/health', (_req, res) => void res.end())
app.get('/<script>\u0007alert</script>"', (_req, res) => void res.end())
const page = inventoryPage(inspect(app), 'server.js')

/** What the page shows for a search: in Chromium where it is installed, else as its script does it on the articles of the page. */
function shownFor(words: string): { count: string; paths: string[] } {
  return inBrowser(words) ?? byItsScript(words)
}

interface Article {
  readonly dataset: { readonly text: string }
  hidden: boolean
  readonly path: string
}

function byItsScript(words: string): { count: string; paths: string[] } {
  const articles = articlesOf(page).map(({ text, path }): Article => ({
    dataset: { text },
    hidden: false,
    path,
  }))
  const count = { textContent: '' }
  const addEventListener = (): void => {}
  const search = { value: '', addEventListener }
  const others = { value: '', addEventListener }
  const document = {
    addEventListener,
    getElementById: (id: string) => (id === 'search' ? search : id === 'count' ? count : others),
    querySelectorAll: (selector: string) => (selector === 'article' ? articles : []),
  }
  const [, script] = /<script>([^]*)<\/script>/.exec(page)!
  runInNewContext(script!, { document, location: { hash: `#${encodeURIComponent(words)}` } })
  return { count: count.textContent, paths: articles.filter(({ hidden }) => !hidden).map(({ path }) => path) }
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'page-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function inBrowser(words: string): { count: string; paths: string[] } | undefined {
  const file = join(folder, 'routes.html')
  writeFileSync(file, page)
  const address = `${pathToFileURL(file).href}#${encodeURIComponent(words)}`
  const options = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    `--user-data-dir=${join(folder, 'profile')}`,
    '--dump-dom',
    address,
  ]
  const { stdout, error } = spawnSync('chromium', options, { encoding: 'utf8', timeout: 60_000 })
  if (error !== undefined || !stdout) return undefined
  const [, count] = /<output[^>]*>([^<]*)</.exec(stdout)!
  return { count: count!, paths: articlesOf(stdout).flatMap(({ path, hidden }) => (hidden ? [] : [path])) }
}

const unescape = (text: string): string =>
  text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')

function articlesOf(html: string): { text: string; path: string; hidden: boolean }[] {
  const found = html.matchAll(
    /<article ([^]*?)><details[^>]*><summary><b class="method">\w+<\/b> <span class="path">([^]*?)<\/span>/g,
  )
  return [...found].map(([, attributes, path]) => ({
    text: unescape(/data-text="([^"]*)"/.exec(attributes!)![1]!),
    path: unescape(path!),
    hidden: attributes!.includes('hidden=""'),
  }))
}

describe('The page of an inventory', () => {
  it.each([
    ['admin', '2 of 5 routes', ['/admin/orders', '/admin/users/:id']],
    ['requireAdmin users', '1 of 5 routes', ['/admin/users/:id']],
    ['nothing like it', '0 of 5 routes', []],
  ])('shows what is searched for: %s', (words, count, paths) => {
    // A Chromium for each of them is for `npm run test:all`.
    if (isWhole || words === 'admin') expect(shownFor(words)).toEqual({ count, paths })
    expect(byItsScript(words)).toEqual({ count, paths })
  })

  it('has a tree by path, the way of each request, and the findings', () => {
    expect(page).toContain('<span class="path">/admin/users/:id</span>')
    expect(page).toMatch(/requireAdmin[^]*<i>answer<\/i> Express: (?:a function|function at \S+:\d+)/)
    expect(page).toContain('<b>duplicate</b> GET /health')
    expect(page.indexOf('<summary>1 finding</summary>')).toBeLessThan(page.indexOf('<article'))
    expect(page.replace(/data-text="[^"]*"/g, '')).not.toContain('&lt;anonymous&gt;')
  })

  it('asks for nothing from anywhere, and runs nothing that an app is named by', () => {
    expect(page).toContain("default-src 'none'")
    expect(page.match(/(?:src|href)="(?!data:)/g)).toBeNull()
    expect(page.match(/<script>/g)).toHaveLength(1)
    expect(page).toContain('/&lt;script&gt;\\x07alert')
  })
})

describe('The page of a check', () => {
  const user: express.RequestHandler = (_req, _res, next) => next()
  const mend: express.ErrorRequestHandler = (error, _req, _res, next) => next(error)
  const createApp = (count: number, isBefore: boolean): express.Express => {
    const app = express()
    app.use(function first(_req, _res, next) {
      next()
    })
    for (let at = 0; at < count; at++) {
      const own = express.Router()
      if (isBefore) own.use(user)
      app.use(
        `/${at}`,
        own.get('/', (_req, res) => void res.end()),
      )
    }
    if (isBefore) app.use(mend)
    return app.get('/behind', (_req, res) => void res.end())
  }
  const pageOf = (count: number): string => {
    const lock = createLock(inspect(createApp(count, true)))
    return checkPage(checkMigration(lock, createApp(count, false)), 'server.js')
  }
  const opened = (html: string): number => html.match(/<article [^>]*><details open>/g)?.length ?? 0

  it('shows three routes with findings opened, and more of them closed', () => {
    expect([opened(pageOf(3)), opened(pageOf(4))]).toEqual([3, 0])
  })

  it('chooses by what is no finding too', () => {
    const html = pageOf(1)
    expect(html).toContain('<option value="lost">lost (1)</option>')
    expect(html).toContain('<option value="removed">removed (1)</option>')
    expect(html).toMatch(
      /data-marks="[^"]*removed[^"]*"><details><summary><b class="method">GET<\/b> <span class="path">\/behind</,
    )
  })
})
