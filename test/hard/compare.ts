// What a visitor can put into the answers that shadow, canary and replay compare: no comparison may end the process, or hold it.
import { differencesOf } from '../../packages/compare/src/compare-answers.js'
import { Noise } from '../../packages/compare/src/noise.js'
import { secretsOf } from '../../packages/compare/src/redact.js'
import { compareRandomAnswers, plantedDifference } from '../support/random-answers.js'
import { createRandom } from './random.js'
import { grouped, type Row } from './row.js'

const allowedStepMs = 20

export const row: Row = {
  asked: `100 000 pairs of hostile answers: a comparison never throws, equal answers never differ, a planted difference is found, and no step takes more than ${allowedStepMs} ms`,
  async run({ seed, count, tell }) {
    const random = createRandom(seed)
    const all = count(100_000)
    const findings: string[] = []
    let [compared, different, tooLarge, longestStepMs] = [0, 0, 0, 0]
    for (let done = 0; done < all; done += 10_000) {
      const part = compareRandomAnswers(random, Math.min(10_000, all - done))
      findings.push(...part.findings)
      compared += part.compared
      different += part.different
      tooLarge += part.tooLarge
      longestStepMs = Math.max(longestStepMs, part.longestStepMs)
      tell(
        `${grouped(Math.min(all, done + 10_000))} of ${grouped(all)}, the longest step ${longestStepMs.toFixed(1)} ms`,
      )
    }
    const planted = count(10_000)
    const rules = {
      ignoredHeaders: new Set<string>(),
      secrets: secretsOf([]),
      mask: String,
      maxBytes: 2 ** 18,
      isRecorded: false,
    }
    for (let at = 0; at < planted; at++) {
      const { legacy, now } = plantedDifference(random)
      const found = differencesOf(legacy, now, undefined, new Noise(), rules)
      if (found.length === 0) findings.push(`planted ${at}: not found in ${legacy.body.slice(0, 200)}`)
    }
    return {
      measured: `${grouped(compared)} compared, of them ${grouped(different)} different, ${grouped(tooLarge)} too large; ${grouped(planted)} planted; the longest step ${longestStepMs.toFixed(1)} ms`,
      verdict: findings.length > 0 ? 'failed' : longestStepMs <= allowedStepMs ? 'ok' : 'short',
      findings,
    }
  },
}
