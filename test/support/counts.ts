/** True in `npm run test:all`, which takes its time; false in `npm test`, the loop. */
export const isWhole = process.env['TEST_ALL'] === '1'

/** How often something random is tried: in the loop, and in `npm run test:all`. */
export function times(inLoop: number, inWhole: number): number {
  return isWhole ? inWhole : inLoop
}
