import { trace } from '../../src/express/model/trace.js'
import { createRandom, pick } from '../hard/random.js'
import { createRandomApp, createRandomUrl } from './random-apps.js'

// 100 000 apps take minutes: `APPS=100000 npx jest test/migrate/trace.test.ts`.
const apps = Number(process.env['APPS'] ?? 300)
const seed = Number(process.env['SEED'] ?? 1)
const methods = ['GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE']

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
        const followed = trace(app, method, url).flatMap(({ run }) => functions.get(run) ?? [])
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
})
