// The comparison of `parity`: all counts that a client gets.
import type { ReceivedAnswer } from '../../../compare/src/received-answer.js'
import { mostBodyBytes } from '../../../compare/src/ask.js'
import { compareSteps } from '../../../compare/src/compare-answers.js'
import type { Noise } from '../../../compare/src/noise.js'
import { secretsOf } from '../../../compare/src/redact.js'
import type { Comparison, CompareRules } from '../../../compare/src/rules.js'
import { runAtOnce } from '../../../compare/src/slices.js'

const exact: CompareRules = {
  ignoredHeaders: new Set(),
  secrets: secretsOf([]),
  // It was masked when it was read.
  mask: String,
  // What stands for a masked text may be longer.
  maxBytes: 4 * mostBodyBytes,
  isRecorded: false,
  isExact: true,
}

/** Compares two answers. Throws where a body is too large once it was unpacked. */
export function compareExactly(
  legacy: ReceivedAnswer,
  now: ReceivedAnswer,
  again: readonly ReceivedAnswer[],
  noise: Noise,
): Comparison {
  const found = runAtOnce(compareSteps(legacy, now, again, noise, exact))
  if (found === 'size') throw new Error(`a body has more than ${exact.maxBytes} bytes`)
  return found
}
