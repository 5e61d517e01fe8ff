import express5 from 'express'
import express4 from 'express4'
import { times } from '../support/counts.js'
import { Comparison, compareRandomApps } from './random/compare.js'
import { scenarioOf } from './random/parts.js'
import { testedExpress } from './versions/tested.js'

const seed = process.env['SEED'] === undefined ? undefined : Number(process.env['SEED'])
const count = Number(process.env['APPS'] ?? testedExpress?.apps ?? times(15, 4_200))
const installed = [
  [4, express4],
  [5, express5],
] as const
const { major = undefined } = testedExpress ?? {}

describe.each(installed.filter(([version]) => major === undefined || major === version))(
  'Express %i',
  (version, express) => {
    const comparison = new Comparison(express, version)
    afterAll(() => comparison.close())

    it('answers random requests to random apps as Express does, calling the same functions with the same things', async () => {
      await compareRandomApps(comparison, scenarioOf(version), { apps: count, seed })
      const { requests, reached } = comparison.counts
      // Else it proves nothing. Fifteen random apps reach 30 to 70 % of the time, a thousand more than half.
      expect(reached).toBeGreaterThan(requests / (count < 1_000 ? 10 : 2))
    }, 1_800_000)
  },
)
