// The step of action.yml that writes a comment, against a server that answers as the API of GitHub does.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { slowRows } from '../support/counts.js'

interface Comment {
  readonly id: number
  readonly user: { readonly login: string } | null
  readonly body: string
}

const bot = { login: 'github-actions[bot]' }
const mark = '<!-- routecontrollers guards -->'

let folder: string
let server: Server
let comments: readonly Comment[]
let writes: string[]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comment-'))
  writeFileSync(join(folder, 'summary.md'), 'two routes')
  writeFileSync(join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 7 } }))
  server = createServer((req, res) => {
    void text(req).then((body) => {
      const isQuery = req.url === '/graphql'
      if (req.method !== 'GET' && !isQuery) writes.push(`${req.method} ${req.url} ${JSON.parse(body).body}`)
      res.end(JSON.stringify(isQuery ? { data: { viewer: bot } } : comments))
    })
  }).listen(0)
  await once(server, 'listening')
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  writes = []
})

async function run(): Promise<string> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const child = spawn(process.execPath, [join(__dirname, '../../scripts/action/comment.js')], {
    env: {
      ...process.env,
      FOLDER: folder,
      NAME: 'guards',
      TOKEN: 'a',
      GITHUB_API_URL: url,
      GITHUB_GRAPHQL_URL: `${url}/graphql`,
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
      GITHUB_REPOSITORY: 'a/b',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return await text(child.stdout)
}

const issues = '/repos/a/b/issues'
const written = `${mark}\ntwo routes`

describe('The comment of a pull request', () => {
  it.each(
    slowRows<[string, readonly Comment[]]>(2, [
      ['there is none', []],
      ['somebody else has begun one with the mark', [{ id: 1, user: { login: 'mallory' }, body: mark }]],
      ['one is of a user who is gone', [{ id: 1, user: null, body: mark }]],
      ['the own one is of another action', [{ id: 1, user: bot, body: 'built' }]],
    ]),
  )('is a new one where %s', async (_where, there) => {
    comments = there
    expect(await run()).toBe('')
    expect(writes).toEqual([`POST ${issues}/7/comments ${written}`])
  })

  it('replaces the one that the same token has written', async () => {
    comments = [
      { id: 1, user: { login: 'mallory' }, body: mark },
      { id: 2, user: bot, body: `${mark}\none route` },
    ]
    expect(await run()).toBe('')
    expect(writes).toEqual([`PATCH ${issues}/comments/2 ${written}`])
  })
})
