import express5 from 'express'
import express4 from 'express4'
import { times } from '../support/counts.js'
import { Comparison, compareRandomApps } from './random/compare.js'
import { scenarioOf } from './random/parts.js'

const seed = process.env['SEED'] === undefined ? undefined : Number(process.env['SEED'])

describe.each([
  [4, express4],
  [5, express5],
] as const)('Express %i', (version, express) => {
  const comparison = new Comparison(express, version)
  afterAll(() => comparison.close())

  it('answers random requests to random apps as Express does, calling the same functions with the same things', async () => {
    const apps = Number(process.env['APPS'] ?? times(40, 4_200))
    await compareRandomApps(comparison, scenarioOf(version), { apps, seed })
    const { requests, reached } = comparison.counts
    if (process.env['APPS']) console.log(comparison.counts)
    // Else it proves nothing.
    expect(reached).toBeGreaterThan(requests / 2)
  }, 1_200_000)
})
