import express5 from 'express'
import express4 from 'express4'
import { errorHandlersBehind, LayerIndex, type Step, trace } from '../../src/express/model/trace.js'
import { below, createRandom, pick } from '../hard/random.js'
import { createRandomApp, createRandomUrl } from './random-apps.js'

// 100 000 apps take minutes: `APPS=100000 npx jest test/migrate/trace.test.ts`.
const apps = Number(process.env['APPS'] ?? 300)
const seed = Number(process.env['SEED'] ?? 1)
const methods = ['GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE']

describe.each([
  [4, express4],
  [5, express5],
] as const)('What a HEAD request passes in Express %d, followed without a call', (_version, express: any) => {
  it.each(['get', 'all', 'head', 'post'] as const)('is what it passes in a route of %s', (method) => {
    const seen: string[] = []
    const named = (name: string): any =>
      Object.defineProperty((_req: any, _res: any, next: any) => (seen.push(name), next()), 'name', {
        value: name,
      })
    const router = express.Router()
    router.use(named('use'))
    router.route('/a').post(named('other')).all(named('guard'))[method](named('own'))
    router({ method: 'HEAD', url: '/a' }, {}, () => {})
    expect(trace(router, 'HEAD', '/a').map(({ run }) => run.name)).toEqual(seen)
  })

  it.each(['HEAD', 'PUT'])(
    'has the callbacks of the params of a route of POST, for %s if they run',
    (method) => {
      const seen: string[] = []
      const router = express.Router()
      router.param('id', function ofId(_req: any, _res: any, next: any) {
        seen.push('ofId')
        next()
      })
      router.post('/a/:id', (_req: any, _res: any, next: any) => next())
      router({ method, url: '/a/7' }, {}, () => {})
      expect(trace(router, method, '/a/7').map(({ run }) => run.name)).toEqual(seen)
      expect(seen).toEqual(method === 'HEAD' ? ['ofId'] : [])
    },
  )
})

it.each([express4, express5] as any[])(
  'What an OPTIONS request passes ends in the answer that a router gives',
  (express) => {
    const pass = (_req: any, _res: any, next: any): void => next()
    const router = express.Router()
    router.use('/own', pass).options('/own', pass)
    router.use('/teas', pass).get('/teas', pass).post('/teas', pass)
    const inner = express.Router().get('/cups', pass)
    router.use('/inner', inner)
    const followed = (method: string, path: string): string[] => {
      const kinds = trace(router, method, path).map(({ kind }) => kind)
      let end = 'left'
      const res = {
        setHeader() {},
        set() {},
        getHeader() {},
        end: () => (end = 'answered'),
        send: () => (end = 'answered'),
      }
      router({ method, url: path }, res, () => {})
      return [...kinds, end]
    }
    expect(followed('OPTIONS', '/teas')).toEqual(['middleware', 'options', 'answered'])
    expect(followed('OPTIONS', '/inner/cups')).toEqual(['options', 'answered'])
    expect(followed('OPTIONS', '/own')).toEqual(['middleware', 'handler', 'left'])
    expect(followed('OPTIONS', '/none')).toEqual(['left'])
    expect(followed('GET', '/teas')).toEqual(['middleware', 'handler', 'left'])
  },
)

describe('What a request passes, followed without a call', () => {
  it(`is what it passes when it is sent, on ${apps} random apps of Express 4 and 5`, async () => {
    const differences: string[] = []
    let passed = 0
    for (let at = 0; at < apps && differences.length < 5; at++) {
      const random = createRandom(seed * 1_000_003 + at)
      const { app, functions, version, pass } = createRandomApp(random)
      for (let request = 0; request < 8; request++) {
        const method = pick(random, methods)
        const url = createRandomUrl(random)
        const followed = trace(app, method, url).flatMap(({ run, catches }) =>
          catches === undefined ? (functions.get(run) ?? []) : [],
        )
        const really = await pass(method, url)
        passed += really.length
        if (followed.join() !== really.join()) {
          differences.push(
            `app ${at}, Express ${version}, ${method} ${url}\n  followed ${followed.join()}\n  really   ${really.join()}`,
          )
        }
      }
    }
    expect(differences.join('\n')).toBe('')
    // Else nothing was shown.
    expect(passed).toBeGreaterThan(apps * 4)
  }, 3_600_000)

  it(`is what it passes when a function fails, and each error handler lets it on, on ${apps} of them`, async () => {
    const differences: string[] = []
    let letOn = 0
    for (let at = 0; at < apps && differences.length < 5; at++) {
      const random = createRandom(seed * 2_000_003 + at)
      const { app, functions, version, pass } = createRandomApp(random)
      for (let request = 0; request < 8; request++) {
        const method = pick(random, ['GET', 'GET', 'POST', 'DELETE'])
        const url = createRandomUrl(random)
        const steps = trace(app, method, url)
        // A mounted app that has nothing is a function of which nothing is known.
        const isOrdinary = ({ kind, run }: Step): boolean => kind !== 'error' && functions.has(run)
        const ordinary = steps.filter(isOrdinary)
        // What cannot be decoded is an error of its own, and Express keeps one of a param for each layer that has the param.
        const isOwn = steps.some(({ kind, catches }) => kind === 'error' && catches === undefined)
        const failing = below(random, ordinary.length)
        const failed = ordinary[failing]
        if (failed === undefined || failed.kind === 'param' || isOwn) continue
        const place = steps.indexOf(failed)
        const isCaught = ({ catches = 0 }: Step, handler: number): boolean =>
          handler > place && handler - catches <= place
        const handler = steps.findIndex(isCaught)
        const behind = handler < 0 ? [] : steps.slice(handler + 1).filter(isOrdinary)
        const followed = [...ordinary.slice(0, failing + 1), ...steps.slice(handler, handler + 1), ...behind]
        // Those of params are called for what is skipped too.
        const isParam = (name: string): boolean => name.startsWith('param')
        const expected = followed.map(({ run }) => functions.get(run)!).filter((name) => !isParam(name))
        const really = (await pass(method, url, failing)).filter((name) => !isParam(name))
        if (behind.length > 0) letOn++
        if (expected.join() !== really.join()) {
          differences.push(
            `app ${at}, Express ${version}, ${method} ${url}, ${functions.get(failed.run)} fails\n  followed ${expected.join()}\n  really   ${really.join()}`,
          )
        }
      }
    }
    expect(differences.join('\n')).toBe('')
    expect(letOn).toBeGreaterThan(apps / 20)
  }, 3_600_000)

  it(`leads to the same error handlers when a function fails, and each leaves the error to the next one, on ${apps} of them`, async () => {
    const differences: string[] = []
    let reached = 0
    for (let at = 0; at < apps && differences.length < 5; at++) {
      const random = createRandom(seed * 3_000_003 + at)
      const { app, functions, version, pass } = createRandomApp(random)
      for (let request = 0; request < 8; request++) {
        const method = pick(random, ['GET', 'GET', 'POST', 'DELETE'])
        const url = createRandomUrl(random)
        const steps = trace(app, method, url)
        const ordinary = steps.filter(({ kind, run }) => kind !== 'error' && functions.has(run))
        const isOwn = steps.some(({ kind, catches }) => kind === 'error' && catches === undefined)
        const failing = below(random, ordinary.length)
        const failed = ordinary[failing]
        if (failed === undefined || failed.kind === 'param' || isOwn) continue
        const place = steps.indexOf(failed)
        const behind = errorHandlersBehind(app, method, url, place, new LayerIndex(), () => false)
        const told = behind.map(({ run }) => functions.get(run)!)
        const really = (await pass(method, url, failing, true)).slice(failing + 1)
        const errors = really.filter((name) => name.startsWith('error'))
        reached += errors.length
        if (told.join() !== errors.join()) {
          differences.push(
            `app ${at}, Express ${version}, ${method} ${url}, ${functions.get(failed.run)} fails\n  told   ${told.join()}\n  really ${really.join()}`,
          )
        }
      }
    }
    expect(differences.join('\n')).toBe('')
    expect(reached).toBeGreaterThan(apps / 20)
  }, 3_600_000)
})
