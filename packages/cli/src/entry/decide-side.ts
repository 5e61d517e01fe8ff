// Has one side answer the routes of a running entry that have both, so that two processes of the same code can be compared.
import { decideNatives, describedIn } from 'routecontrollers/express-model'
import { reachedHeader } from '../../../compare/src/received-answer.js'
import type { Serve } from '../documents/child.js'

/**
 * Decides for all native callbacks of some apps, and for the Controllers that stand in what they serve. What is given ends that for apps
 * that are not known.
 */
export function decideSide(
  side: NonNullable<Serve['side']>,
  apps: Iterable<object>,
  roots: readonly unknown[],
): () => void {
  const isNative = side === 'native'
  const leave = decideNatives(apps, {
    place: () => ({
      choose: (_controller, { outgoing }) => {
        // A guard may have begun an answer, and gone on.
        if (outgoing?.headersSent === false) outgoing.setHeader(reachedHeader, '1')
        return isNative
      },
      finish: (answer) => answer,
    }),
    read() {},
  })
  // At legacy what serves them has been left out.
  if (!isNative) return leave
  for (const { config } of roots.flatMap((root) => describedIn(root)))
    Object.assign(config, { switch: undefined })
  return leave
}
