import { slowRows } from '../support/counts.js'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningExample, useExample } from './start-example.js'

const main = useExample('express-app/main.ts')
const curlIsHere = spawnSync('curl', ['--version']).status === 0

// Each way starts a shop of its own, since the curl lines build on one another. The second is for machines without
// curl, and runs everywhere so that it does not rot.
describe.each(
  slowRows(1, [...(curlIsHere ? [['curl', runCurl] as const] : []), ['fetch', createFetch()] as const]),
)('npm start, its curl lines tried with %s', (_, tryOut) => {
  let folder: string
  let shop: RunningExample

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tea-shop-'))
    shop = await main.start(/Ctrl\+C stops all of them\.\n/, { TMPDIR: folder })
  })

  afterAll(async () => {
    await shop.stop()
    rmSync(folder, { recursive: true })
  })

  it('prints curl lines with their true output', async () => {
    const examples = [...shop.output.matchAll(/^ {2}(curl .*)\n {2}# (.*)$/gm)]
    expect(examples).toHaveLength(8)
    for (const [, line, output] of examples) {
      expect([line, (await tryOut(line!)).trimEnd()]).toEqual([line, output])
    }
  })

  it('prints who really answers', async () => {
    const urls = [...shop.output.matchAll(/^ {2}(http:\S+) {2,}\S/gm)].map(([, url]) => url!)
    const rows = [...shop.output.matchAll(/^ {2}([A-Z]+) +(\/\S*) +(\w+) +(\w+) +(\w+)$/gm)]
    expect([urls.length, rows.length]).toEqual([4, 16])
    // Past the guard of /admin, which inside Express stands before a Controller as before any route.
    const headers = { 'X-Admin-Token': 'teapot' }
    for (const [row, method, pattern, ...printed] of rows) {
      const path = pattern!.replace(':id', 'sencha')
      const answers = await Promise.all(
        urls
          .slice(0, 3)
          .map((url) =>
            fetch(url + path, { method: method!, redirect: 'manual', headers }).then(whoAnswered),
          ),
      )
      expect([row, answers]).toEqual([row, printed])
    }
  })

  it('leads from one page to all that there is to look at', async () => {
    const [, tour] = /^Open (\S+) in a browser/m.exec(shop.output)!
    const get = async (path: string): Promise<string> => {
      const answer = await fetch(new URL(path, tour))
      expect([path, answer.status]).toEqual([path, 200])
      return answer.text()
    }
    const page = await get('/')
    const links = [...page.matchAll(/href="([^"]+)"/g)].flatMap(([, url]) =>
      url!.startsWith('data:') ? [] : url!,
    )
    expect(links).toHaveLength(8)
    for (const link of links) await get(link)
    expect(page).toMatch(/<td>createServer\(app\)<\/td><td>0\.\d\d \([\d.]+\)<\/td>/)
    expect(await get('/routes')).toMatch(/<span class="path">\/admin\/report<\/span>[^]*no guard of its own/)
  })

  it('has a migration with traffic, in which the planted difference is found', async () => {
    const [, tour] = /^Open (\S+) in a browser/m.exec(shop.output)!
    for (;;) {
      const status = (await (await fetch(new URL('/migration/status.json', tour))).json()) as {
        routes: { route: string; state: string; differences: { name: string }[] }[]
      }
      const found = status.routes.find(({ route }) => route === 'GET /products/:id')!
      expect(found.state).toBe('shadow')
      const names = found.differences.map(({ name }) => name)
      if (names.includes('$.price')) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })

  it('ends by itself on Ctrl+C', async () => {
    expect(await shop.stop()).toBe(0)
  })
})

describe('npm start, when the port is taken', () => {
  it('says so and ends', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, resolve))
    const { port } = other.address() as AddressInfo

    const { code, errors } = await main.run({ PORT: `${port}` })
    other.close()
    expect(code).toBe(1)
    expect(errors).toContain(`${port}`)
    expect(errors).toContain('in use')
    expect(errors).not.toContain('    at ')
  })
})

function whoAnswered({ status, headers }: Response): string {
  if (status === 404) return '404'
  return headers.has('x-answered-by') ? 'Controller' : 'Express'
}

async function runCurl(line: string): Promise<string> {
  return spawnSync(line, { shell: true, encoding: 'utf8' }).stdout
}

/** Understands of curl what the printed lines use. */
function createFetch(): (line: string) => Promise<string> {
  let cookies: Record<string, string> = {}
  const valueOptions = ['-b', '-c', '-H', '-d', '-X', '-o', '-w']

  return async (line) => {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
    const option: Record<string, string> = {}
    let url = ''
    for (let at = 1; at < words.length; at++) {
      const word = words[at]!
      if (valueOptions.includes(word)) option[word] = words[++at]!
      else if (word.startsWith('http')) url = word
      else if (word !== '-s') throw new Error(`This stand-in for curl does not know ${word}`)
    }

    const headers = new Headers()
    if (option['-d'] !== undefined) headers.set('content-type', 'application/x-www-form-urlencoded')
    const [name, value] = option['-H']?.split(': ') ?? []
    if (name) headers.set(name, value!)
    if (option['-b']) headers.set('cookie', Object.values(cookies).join('; '))

    const answer = await fetch(url, {
      method: option['-X'] ?? (option['-d'] === undefined ? 'GET' : 'POST'),
      headers,
      body: option['-d'] ?? null,
      redirect: 'manual',
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair] = cookie.split(';')
      cookies = { ...cookies, [pair!.split('=')[0]!]: pair! }
    }
    const body = await answer.text()
    return option['-o'] === undefined ? body : `${answer.status}`
  }
}
