// The file of the lock is merged by people and spoilt by tools: what is not as it must be is refused, and never guessed.
import { mkdtempSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { createLock, formatLock, inspect, parseLock } from '@routecontrollers/cli'
import { itSlow } from '../support/counts.js'
import { readLockFile } from '../../packages/cli/src/check/read-lock.js'
import { lockVersion } from '../../packages/cli/src/check/lock.js'

function guard(_req: any, _res: any, next: () => void): void {
  next()
}
const app = express()
app.use(guard)
app.get('/a/:b', (_req, res) => void res.end())
const text = formatLock(createLock(inspect(app)))
const whole = JSON.parse(text) as { version: number; routes: any[] }
const withRoute = (fields: object): any => ({ ...whole, routes: [{ ...whole.routes[0], ...fields }] })
const { answer, passes } = whole.routes[0] as { answer: string; passes: object[] }
const parse = (lock: unknown): unknown => parseLock(JSON.stringify(lock), 'a.json')
const refused = (message: string | RegExp): Error =>
  expect.objectContaining({
    code: 'ERR_OPTION_INVALID',
    message: expect.stringMatching(message) as string,
  }) as Error

describe('parseLock', () => {
  it.each<[unknown, string]>([
    [null, 'is no lock of routecontrollers'],
    [7, 'is no lock of routecontrollers'],
    [[], 'is no lock of routecontrollers'],
    [{ name: 'a', version: '1.0.0' }, 'is no lock of routecontrollers'],
    [{ version: 1 }, 'routes is not'],
    [{ version: 1, routes: { length: 1e9 } }, 'routes is not'],
    [{ version: 1, routes: [null] }, 'routes[0] is not'],
    [{ version: 1, routes: [whole.routes[0], {}] }, 'routes[1].method is not'],
    [{ version: 1, routes: [1, 'x'] }, 'routes[0] is not'],
    [{ ...whole, except: 'GET /a' }, 'except is not'],
    [{ ...whole, except: ['GET /a/**', 7] }, 'except[1] is not'],
    [{ ...whole, except: ['GET /a/**', 'no path'] }, 'except[1] is not'],
    [withRoute({ method: 7 }), 'routes[0].method is not'],
    [withRoute({ path: undefined }), 'routes[0].path is not'],
    [withRoute({ app: -1 }), 'routes[0].app is not'],
    [withRoute({ app: 0.5 }), 'routes[0].app is not'],
    [withRoute({ app: 1000 }), 'routes[0].app is not'],
    [withRoute({ app: '1' }), 'routes[0].app is not'],
    [withRoute({ app: null }), 'routes[0].app is not'],
    [withRoute({ kind: 7 }), 'routes[0].kind is not'],
    [withRoute({ at: 7 }), 'routes[0].at is not'],
    [withRoute({ handler: {} }), 'routes[0].handler is not'],
    [withRoute({ varies: 'yes' }), 'routes[0].varies is not'],
    [withRoute({ shadowed: 1 }), 'routes[0].shadowed is not'],
    [withRoute({ witness: 5 }), 'routes[0].witness is not'],
    [withRoute({ witness: 'GET' }), 'routes[0].witness is not'],
    [withRoute({ settings: null }), 'routes[0].settings is not'],
    [withRoute({ settings: 'strict' }), 'routes[0].settings is not'],
    [withRoute({ settings: [] }), 'routes[0].settings is not'],
    [
      withRoute({ settings: { ...whole.routes[0].settings, trustProxy: [] } }),
      'routes[0].settings.trustProxy is not',
    ],
    [
      withRoute({ settings: { ...whole.routes[0].settings, mountedTrustProxy: [true, null] } }),
      'routes[0].settings.mountedTrustProxy[1] is not',
    ],
    [withRoute({ params: 7 }), 'routes[0].params is not'],
    [withRoute({ params: { b: 'b' } }), 'routes[0].params is not'],
    [withRoute({ params: ['b', 7] }), 'routes[0].params[1] is not'],
    [withRoute({ answer: { answer } }), 'routes[0].answer is not'],
    [withRoute({ by: undefined }), 'routes[0].by is not'],
    [withRoute({ passes: null }), 'routes[0].passes is not'],
    [withRoute({ passes: [...passes, { kind: 'middleware' }] }), 'routes[0].passes[1].name is not'],
    [withRoute({ passes: [{ ...passes[0], argument: 5 }] }), 'routes[0].passes[0].argument is not'],
    [withRoute({ passes: [{ ...passes[0], catches: 0 }] }), 'routes[0].passes[0].catches is not'],
    [withRoute({ passes: [{ ...passes[0], catches: 1.5 }] }), 'routes[0].passes[0].catches is not'],
    [withRoute({ passes: [{ ...passes[0], unverifiable: 1 }] }), 'routes[0].passes[0].unverifiable is not'],
    [withRoute({ accepted: 'lost: *' }), 'routes[0].accepted is not'],
    [withRoute({ accepted: [{ finding: 'gone' }] }), 'routes[0].accepted[0].because is not'],
    [
      withRoute({ accepted: [{ finding: 'gone', because: 'x', with: 'y' }] }),
      'routes[0].accepted[0].with is not',
    ],
    [withRoute({ samples: {} }), 'samples of GET /a/:b are'],
    [withRoute({ samples: ['/a/1'] }), 'samples of GET /a/:b are'],
    [withRoute({ samples: [null] }), 'samples of GET /a/:b are'],
    [withRoute({ samples: [{}, { headers: null }] }), 'samples of GET /a/:b are'],
    [withRoute({ samples: [{ headers: { a: 1 } }] }), 'samples of GET /a/:b are'],
    [withRoute({ samples: [{ headers: 'a: 1' }] }), 'samples of GET /a/:b are'],
    [withRoute({ samples: [{ url: 'a/1/' }] }), 'samples of GET /a/:b are'],
    [withRoute({ samples: [{ url: 7 }] }), 'samples of GET /a/:b are'],
  ])('refuses %j, and says where it is wrong and what helps', (lock, sentence) => {
    expect(() => parse(lock)).toThrow(
      refused(/^a\.json.*(inspect ENTRY --lock \w+(\.lock)?\.json( writes one)?$|headers are texts$)/),
    )
    expect(() => parse(lock)).toThrow(sentence)
  })

  it.each([
    ['a mark of a byte order before it', `\ufeff${text}`],
    ['line ends of Windows', text.replaceAll('\n', '\r\n')],
  ])('reads a lock with %s', (_what, marked) => {
    expect(parseLock(marked)).toEqual(whole)
  })

  it.each<[string, object]>([
    ['of the app with the number 0', { app: 0 }],
    ['of the app with the number 999', { app: 999 }],
    ['without a witness', { witness: null }],
    ['with one that a function has caught', { passes: [{ ...passes[0], catches: 1 }] }],
    ['that a person has accepted', { accepted: [{ finding: 'gone', because: 'retired', with: ['GET /b'] }] }],
    ['with samples', { samples: [{}, { url: '/a/1', headers: { accept: '*/*' }, body: { tea: 1 } }] }],
  ])('reads a route %s', (_what, fields) => {
    expect(parse(withRoute(fields))).toEqual(withRoute(fields))
  })

  it.each([1, 2, 3, lockVersion])('reads the version %i', (version) => {
    expect(parse({ ...whole, version })).toEqual({ ...whole, version })
  })

  it.each([0, 1.5, lockVersion + 1])('says of the version %d which ones it knows', (version) => {
    expect(() => parse({ ...whole, version })).toThrow(
      refused(`^a\\.json has the version ${version}, and this command knows versions 1 to ${lockVersion}: `),
    )
  })

  it('refuses a key that stands twice in one object, wherever it does', () => {
    expect(() => parseLock(`{"version":1,"version":2,"routes":[]}`)).toThrow(
      refused('^routes.lock.json has "version" twice in one object: mend it, or write it anew '),
    )
    expect(() => parseLock(`{"version":1,"routes":[{"a":1,"b":{"a":[],"c":2},"\\u0061":2}]}`)).toThrow(
      refused('has "a" twice in one object'),
    )
  })

  it('reads keys and values that look alike, and brackets in texts', () => {
    const row = { ...whole.routes[0], answer: 'at', at: '}{][":,\\"', handler: 'handler' }
    expect(parse({ ...whole, routes: [row, row] })).toEqual({ ...whole, routes: [row, row] })
  })

  it('refuses what is deeper than any lock, longer than any, or no JSON', () => {
    expect(() => parseLock(`${'['.repeat(201)}${']'.repeat(201)}`)).toThrow(refused('deeper than 200 levels'))
    expect(() => parseLock(`${'['.repeat(200)}${']'.repeat(200)}`)).toThrow(refused('is no lock of'))
    expect(() => parseLock(' '.repeat(64 * 1024 * 1024 + 1))).toThrow(refused('is longer than 67108864 char'))
    expect(() => parseLock(' ')).toThrow(refused('^routes.lock.json is not JSON'))
  })

  it.each(['<<<<<<< HEAD', '=======', '>>>>>>> other', '||||||| base', '=======\r'])(
    'refuses a lock with the line %j of a merge conflict',
    (line) => {
      expect(() => parseLock(text.replace('\n', `\n${line}\n`))).toThrow(
        refused(/has merge-conflict markers: .*keep the routes of both sides/),
      )
    },
  )
})

it('A lock that has secrets in its arguments is read without them', () => {
  const argument = "auth({ password: 'swordfish' })"
  const spoilt = withRoute({
    passes: passes.map((pass) => ({ ...pass, argument })),
    errorHandlers: passes.map((pass) => ({ ...pass, kind: 'error', argument })),
  })
  const [route] = parseLock(JSON.stringify(spoilt)).routes
  const shown = [...route!.passes, ...route!.errorHandlers!].map((pass) => pass.argument)
  expect(shown).toEqual(['auth({ password: [redacted] })', 'auth({ password: [redacted] })'])
})

describe('The file of a lock', () => {
  const folder = mkdtempSync(join(tmpdir(), 'read-lock-'))
  writeFileSync(join(folder, 'routes.lock.json'), text)
  mkdirSync(join(folder, 'a folder'))

  it('is read, and there may be none', () => {
    expect(readLockFile(folder, 'routes.lock.json')).toEqual(whole)
    expect(readLockFile(folder, 'other.json')).toBeUndefined()
  })

  itSlow('has 64 MiB at the most', () => {
    const large = join(folder, 'large.json')
    writeFileSync(large, '')
    truncateSync(large, 64 * 1024 ** 2)
    expect(() => readLockFile(folder, 'large.json')).toThrow(refused('large.json is not JSON'))
  })

  it('is not read where it has more than 64 MiB', () => {
    const larger = join(folder, 'larger.json')
    writeFileSync(larger, '')
    truncateSync(larger, 64 * 1024 ** 2 + 1)
    expect(() => readLockFile(folder, 'larger.json')).toThrow(refused('is longer than 67108864 bytes'))
  })

  it('is a file that can be opened', () => {
    expect(() => readLockFile(folder, 'a folder')).toThrow(
      refused('^a folder is no file: name the file of the lock by --lock$'),
    )
    expect(() => readLockFile(folder, 'routes.lock.json/x')).toThrow(
      refused(/^routes\.lock\.json\/x cannot be opened \(ENOTDIR\): name the file of the lock by --lock$/),
    )
  })
})
