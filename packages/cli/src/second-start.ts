// Starts an entry a second time, to see which of its paths are others with each start.
import { type CommandContext, tell } from './terminal/context.js'
import { nameOf } from './check/lock.js'
import type { Inventory } from './documents/inventory.js'
import { compareStarts, type Varying } from './check/varying-paths.js'

/** What is told of it. */
export interface SecondStart {
  /** The entry, as it is shown. */
  readonly entry: string
  /** How it can be left out, as a sentence. */
  readonly without: string
  /** What follows where it has failed, as a part of a sentence. */
  readonly otherwise: string
  /** Looks into the entry; gives undefined where that has failed, which it has told. */
  readonly look: () => Promise<Inventory | undefined>
}

/** Gives the paths that differ between both starts; undefined where the second one has failed. */
export async function startAgain(
  first: Inventory,
  { entry, without, otherwise, look }: SecondStart,
  context: CommandContext,
): Promise<Varying | undefined> {
  tell(context, `${entry} starts a second time, to find paths that differ with each start. ${without}`)
  const second = await look()
  if (second === undefined) {
    tell(context, `The second start has failed, so ${otherwise}.`)
    return undefined
  }
  const { varying, once } = compareStarts(first, second)
  const names = [...new Set(once.map(nameOf))]
  if (names.length > 0) {
    const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
    tell(
      context,
      `Only one of both starts has ${names.slice(0, 5).join(', ')}${more}: check will find that again. inspect --lock --except 'GET /path' leaves a route out of the lock.`,
    )
  }
  return varying
}
