// The pages of an app with hundreds of routes, as a person reads them: in a browser, with keys and at the width of a phone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import express from 'express'
import { checkMigration, createLock, inspect } from '@routecontrollers/cli'
import { checkPage } from '../../packages/cli/src/report/check-page.js'
import { inventoryPage } from '../../packages/cli/src/report/inventory-page.js'
import { Chromium, describeInChromium, type Tab } from '../support/chromium.js'
import { keepReading } from './keep-reading.js'

keepReading()

const requireUser: express.RequestHandler = (req, res, next) =>
  req.get('user') ? next() : void res.sendStatus(401)
const requireAdmin: express.RequestHandler = (req, res, next) =>
  req.get('admin') ? next() : void res.sendStatus(403)
const actions = ['', '/:id', '/:id/history', '/:id/members', '/:id/settings', '/:id/files']

/** 20 routers of 18 routes each, and 7 routes beside them. */
function createApp({ guarded }: { guarded: boolean }): express.Express {
  const app = express()
  app.use(function requestId(_req, _res, next) {
    next()
  })
  for (let at = 0; at < 20; at++) {
    const router = express.Router()
    if (at % 2 === 0 && (guarded || at > 9)) router.use(requireUser)
    if (at % 4 === 0) router.use(requireAdmin)
    for (const path of actions)
      for (const method of ['get', 'post', 'delete'] as const)
        router[method](path || '/', (_req, res) => void res.end())
    app.use(`/api/things${at}`, router)
  }
  for (const path of ['/', '/health', '/ready', '/metrics', '/login', '/logout', '/about'])
    app.get(path, (_req, res) => void res.end())
  return app
}

const inventory = inspect(createApp({ guarded: true }))
const report = checkMigration(createLock(inventory), createApp({ guarded: false }))
const pages = { routes: inventoryPage(inventory, 'server.js'), check: checkPage(report, 'server.js') }

describe('The pages of 367 routes', () => {
  const linesOf = (page: string): string[] =>
    [...page.matchAll(/<details class="branch"( open)?><summary>([^]*?)<\/summary>/g)].map(
      ([, isOpen, line]) =>
        `${isOpen ? 'open' : 'closed'}: ${line!.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')}`,
    )

  it('begin with folders, each with what guards all that is in it', () => {
    const lines = linesOf(pages.routes)
    expect(lines.filter((line) => line.startsWith('open'))).toEqual([
      'open:  /api (360) 180 without a guard of their own ',
    ])
    expect(lines).toContain('closed:  /api/things2 (18) requireUser ')
    expect(lines).toContain('closed:  /api/things4 (18) requireUser requireAdmin ')
    expect(lines).toContain('closed:  /api/things1 (18) 18 without a guard of their own ')
  })

  it('tell once what many routes have lost', () => {
    expect(linesOf(pages.check)).toEqual(['closed:  90 routes lost requireUser '])
  })
})

describeInChromium('The pages of 367 routes in a browser', () => {
  let folder: string
  let chromium: Chromium
  let tab: Tab

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pages-'))
    for (const [name, page] of Object.entries(pages)) writeFileSync(join(folder, `${name}.html`), page)
    chromium = await Chromium.start()
    tab = await chromium.open()
  })
  afterAll(async () => {
    await chromium.close()
    rmSync(folder, { recursive: true })
  })

  const open = async (name: keyof typeof pages): Promise<void> => {
    await tab.go('about:blank')
    await tab.go(pathToFileURL(join(folder, `${name}.html`)).href)
    await tab.until(`document.readyState === 'complete' && document.querySelector('#count')`)
  }
  const inSight = (): Promise<number> =>
    tab.value(`[...document.querySelectorAll('main summary')].filter((one) => one.checkVisibility()).length`)
  const count = (): Promise<string> => tab.value(`document.querySelector('#count').textContent`)
  const focused = async (): Promise<string> =>
    (await tab.value<string>(`document.activeElement.textContent`)).replace(/\s+/g, ' ').trim()

  it.each([
    ['routes', 1280],
    ['routes', 390],
    ['check', 1280],
    ['check', 390],
  ] as const)('fit their window: %s at %d', async (name, width) => {
    await tab.size(width, 900)
    await open(name)
    expect(await tab.value('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    // All that is open too.
    await tab.click('#open')
    expect(await tab.value('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(tab.complaints()).toEqual([])
  })

  it('are searched by keys: what is found is in sight, and without a search the folders are closed again', async () => {
    await tab.size(1280, 900)
    await open('routes')
    expect(await inSight()).toBeLessThan(40)
    await tab.press('/')
    await tab.type('requireAdmin things8')
    await tab.until(`document.querySelector('#count').textContent === '18 of 367 routes'`)
    // The routes, and the folders that they are in.
    expect(await inSight()).toBeGreaterThanOrEqual(18)
    expect(await tab.value(`document.querySelectorAll('article:not([hidden])').length`)).toBe(18)
    await tab.value(`(search.value = '', search.dispatchEvent(new Event('input')))`)
    expect(await count()).toBe('367 of 367 routes')
    expect(await inSight()).toBeLessThan(40)
    await tab.value(`(search.value = 'no such route', search.dispatchEvent(new Event('input')))`)
    expect(await tab.value(`document.querySelector('#none').checkVisibility()`)).toBe(true)
  })

  it('are filtered by what guards a route', async () => {
    await open('routes')
    await tab.value(`(filter.value = 'no guard of its own', filter.dispatchEvent(new Event('input')))`)
    expect(await count()).toBe('187 of 367 routes')
    await tab.value(`(filter.value = 'requireAdmin', filter.dispatchEvent(new Event('input')))`)
    expect(await count()).toBe('90 of 367 routes')
  })

  it('are walked by arrows: into a folder, into a route, and back', async () => {
    await open('routes')
    await tab.press('/')
    await tab.value(`document.querySelector('.branch .branch > summary').focus()`)
    expect(await focused()).toMatch(/^\/api\/things0 \(18\)/)
    await tab.press('ArrowRight')
    await tab.press('ArrowDown')
    expect(await focused()).toMatch(/^GET \/api\/things0 /)
    await tab.press('ArrowRight')
    expect(await tab.value(`document.activeElement.parentElement.open`)).toBe(true)
    await tab.press('ArrowLeft')
    expect(await tab.value(`document.activeElement.parentElement.open`)).toBe(false)
    await tab.press('ArrowLeft')
    expect(await focused()).toMatch(/^\/api\/things0 \(18\)/)
  })
})
