import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express5 from 'express'
import express4 from 'express4'
import { checkMigration, createLock, inspect } from '@routecontrollers/cli'
import { itSlow, times } from '../support/counts.js'
import { Sources } from '../../packages/cli/src/syntax/sources.js'

/** An app with so many routes, and how often its layers have looked at a path. */
function createApp(express: any, routes: number): { app: any; layerOf: () => any } {
  const app = express()
  app.use(function guard(_req: any, _res: any, next: () => void) {
    next()
  })
  for (let at = 0; at < routes; at++) app.get(`/things/thing${at}/:id`, (_req: any, res: any) => res.end())
  return { app, layerOf: () => (app._router ?? app.router).stack.at(-1) }
}

function matchesOf(express: any, routes: number): number {
  const { app, layerOf } = createApp(express, routes)
  const Layer = Object.getPrototypeOf(layerOf())
  const match = jest.spyOn(Layer, 'match')
  try {
    expect(checkMigration(createLock(inspect(app)), app).ok).toBe(true)
    return match.mock.calls.length
  } finally {
    match.mockRestore()
  }
}

describe('inspect and check of many routes', () => {
  it.each([
    [4, express4],
    [5, express5],
  ])('look at as many layers for each route, however many there are: Express %d', (_version, express) => {
    const count = times(80, 200)
    const few = matchesOf(express, count)
    const many = matchesOf(express, 4 * count)
    expect(few).toBeGreaterThan(count)
    expect(many).toBeLessThan(few * 5)
  })

  itSlow('read a file once, and find each of its calls and names by where they stand', () => {
    const folder = mkdtempSync(join(tmpdir(), 'many-'))
    try {
      const file = join(folder, 'main.js')
      const lines = Array.from(
        { length: 5000 },
        (_line, at) => `const guard${at} = make(${at}); use(guard${at})`,
      )
      writeFileSync(file, lines.join('\n'))
      const sources = new Sources(folder)
      // This took minutes when each of them went through the whole file.
      for (const [line, text] of lines.entries()) {
        const argument = sources.argumentAt({ file, line, column: text.indexOf('use(') }, [0])
        expect(argument).toMatchObject({ text: `make(${line})`, isKnown: true })
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
