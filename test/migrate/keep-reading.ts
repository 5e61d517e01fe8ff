import { FunctionReader } from '../../packages/cli/src/inspect/functions.js'

/**
 * Keeps one reader of functions open for a file of tests. The inspector tells each reader of all scripts of the process, which takes a
 * tenth of a second under Jest; what one has learnt, others know.
 */
export function keepReading(): void {
  const reader = new FunctionReader()
  beforeAll(() => void reader.sourceMapUrls)
  afterAll(() => reader.close())
}
