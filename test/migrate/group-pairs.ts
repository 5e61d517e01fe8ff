// What `move --shape group` makes of a folder, and what it tells: UPDATE_PAIRS=1 writes both beside the input.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What `move --json` prints. */
export interface Planned {
  readonly routes: readonly { readonly method: string; readonly path: string; readonly left?: string }[]
  readonly groups?: readonly object[]
  readonly files: readonly string[]
  readonly check: { readonly ok: boolean }
}

/** Compares what was moved in `now` with the folder `expected` of a pair, and what was told with its `told.json`. */
export function expectPair(pair: string, now: string, { routes, groups, files }: Planned): void {
  const left = routes.flatMap((one) =>
    one.left === undefined ? [] : `${one.method} ${one.path}: ${one.left}`,
  )
  const told = `${JSON.stringify({ groups, left }, undefined, 2)}\n`
  const expected = join(pair, 'expected')
  if (process.env['UPDATE_PAIRS'] !== undefined) {
    rmSync(expected, { recursive: true, force: true })
    for (const file of files) {
      mkdirSync(dirname(join(expected, file)), { recursive: true })
      cpSync(join(now, file), join(expected, file))
    }
    writeFileSync(join(pair, 'told.json'), told)
  }
  const texts = (folder: string): object =>
    Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  expect(texts(now)).toEqual(texts(expected))
  expect(told).toBe(readFileSync(join(pair, 'told.json'), 'utf8'))
}
