/** True in `npm run test:all`, which takes its time; false in `npm test`, the loop. */
export const isWhole = process.env['TEST_ALL'] === '1'

/** True where tests that cost seconds each run too: in `npm run test:slow`, and in `npm run test:all`. */
const hasSlow = isWhole || process.env['TEST_SLOW'] === '1'

/** How often something random is tried: in the loop, and in `npm run test:all`. */
export function times(inLoop: number, inWhole: number): number {
  return isWhole ? inWhole : inLoop
}

/** A test that costs seconds, most of whose mistakes a quicker one in the loop finds too. */
export const itSlow: jest.It = hasSlow ? it : (Object.assign(() => {}, { each: () => () => {} }) as never)

/** The rows of a table whose rows cost seconds each: in the loop the first ones. */
export function slowRows<Row>(inLoop: number, all: readonly Row[]): readonly Row[] {
  return hasSlow ? all : all.slice(0, inLoop)
}
