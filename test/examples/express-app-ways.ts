import { join } from 'node:path'
import * as onExpress5 from '../../examples/express-app/serve.js'
import { createSetup, type Setup } from '../../examples/express-app/setup.js'

export interface Way {
  name: string
  /** Is the whole shop there, or only what has moved to Controllers? */
  whole: boolean
  serve: typeof onExpress5.serveLegacy
}

const onExpress4 = withExpress4()

/** The shop before anything moved, on both versions of Express. */
export const legacy: Record<4 | 5, Way> = {
  4: { name: 'the legacy app on Express 4', whole: true, serve: onExpress4.serveLegacy },
  5: { name: 'the legacy app', whole: true, serve: onExpress5.serveLegacy },
}

export const inside: Way = {
  name: 'Controllers inside Express 5',
  whole: true,
  serve: onExpress5.serveInside,
}
export const inside4: Way = {
  name: 'Controllers inside Express 4',
  whole: true,
  serve: onExpress4.serveInside,
}
export const inFront: Way = {
  name: 'Controllers in front of Express 5',
  whole: true,
  serve: onExpress5.serveInFront,
}
export const standalone: Way = { name: 'Controllers alone', whole: false, serve: onExpress5.serveStandalone }

/** The legacy app with its routes as Controllers, alone and in front of it, on both versions of Express. */
export const takenOver: Way[] = (
  [
    [5, onExpress5],
    [4, onExpress4],
  ] as const
).flatMap(([version, { serveTakenOver, serveTakenOverInFront }]) => [
  { name: `the routes of Express ${version} taken over, alone`, whole: true, serve: serveTakenOver },
  {
    name: `the routes of Express ${version} taken over, in front of it`,
    whole: true,
    serve: serveTakenOverInFront,
  },
])

/** A shop of its own, with its log in `log`. */
export function createTestSetup(log: string[] = []): Setup {
  return createSetup({
    publicFolder: join(__dirname, '../../examples/express-app/public'),
    adminToken: 'teapot',
    log: (line) => log.push(line),
  })
}

/** The example as it is, with Express 4 in the place of Express 5. */
function withExpress4(): typeof onExpress5 {
  let served: typeof onExpress5 | undefined
  jest.isolateModules(() => {
    jest.doMock('express', () => jest.requireActual('express4'))
    served = jest.requireActual('../../examples/express-app/serve.js')
    jest.dontMock('express')
  })
  return served!
}
