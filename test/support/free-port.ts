// A port that nobody listens on. It lies below the range from which the system picks for port 0, so that no other test
// that runs at the same time can be given it between this check and its use.
import { once } from 'node:events'
import { createServer } from 'node:net'

const [lowest, highest] = [10_000, 30_000]

export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    const server = createServer()
    const taken = await new Promise((resolve) =>
      server
        .once('error', () => resolve(true))
        .once('listening', () => resolve(false))
        .listen(port),
    )
    if (taken) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
