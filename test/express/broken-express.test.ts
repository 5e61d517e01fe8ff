import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Controller, RouteControllers } from 'routecontrollers'
import { express5, fromExpress } from 'routecontrollers/express'
import { findInstalled, isBundled, namePlaces } from '../../src/ground/installed.js'

/** The folder of a program whose Express throws when it is loaded. */
let folder: string
const entry = require.main!
const test = entry.filename
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'broken-express-')))
  const express = join(folder, 'node_modules/express')
  mkdirSync(express, { recursive: true })
  writeFileSync(join(express, 'package.json'), JSON.stringify({ name: 'express', version: '5.1.0' }))
  writeFileSync(join(express, 'index.js'), "throw new Error('Cannot find module body-parser')")
  // Started without the ending of its name.
  entry.filename = join(folder, 'start')
})
afterAll(() => {
  entry.filename = test
  rmSync(folder, { recursive: true })
})

describe('An Express that cannot be loaded', () => {
  const missing = (who: string): Error =>
    expect.objectContaining({
      code: 'ERR_EXPRESS_MISSING',
      message: expect.stringMatching(`cannot be loaded from .*broken-express.*as ${who}\\(`) as string,
      cause: expect.objectContaining({ message: 'Cannot find module body-parser' }) as Error,
    }) as Error

  it('is named where a profile needs it', () => {
    expect(() => new RouteControllers([], { profile: express5() })).toThrow(missing('express5'))
  })

  it('is named where a handler without a profile needs it, which is no part of a bundle here', () => {
    expect(isBundled('a test')).toBe(false)
    const handler = fromExpress((_req, res) => void res.end())
    expect(() => new RouteControllers([new Controller('GET', '/', handler)])).toThrow(
      missing('the profile express5'),
    )
  })
})

describe('A package', () => {
  it('is looked up beside the entry first, and all its places are named', () => {
    const [first] = findInstalled('express', 'a test')
    expect(first!.resolve('express/package.json')).toBe(join(folder, 'node_modules/express/package.json'))
    expect(namePlaces('a test').split(', ')).toEqual([
      join(folder, 'start'),
      process.cwd(),
      join(__dirname, '../../src/ground'),
    ])
  })
})
