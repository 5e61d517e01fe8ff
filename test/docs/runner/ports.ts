import { createServer, type AddressInfo } from 'node:net'

/** Which port takes the place of which. */
export type Ports = Map<string, string>

// Numbers that are a port beyond doubt: a mere 3600 is a number of seconds.
const port =
  /((?:\bport\s*(?::|=|\?\?|\|\|)|\blisten\(|\blocalhost:|\b127\.0\.0\.1:|\[::1\]:)\s*)(\d{4,5})\b/gi

function portsIn(text: string): string[] {
  return [...new Set([...text.matchAll(port)].map((found) => found[2]!))]
}

export function exchangePorts(text: string, ports: Ports): string {
  return text.replace(port, (whole, before: string, number: string) => before + (ports.get(number) ?? number))
}

/** Finds a free port for each that a text names. */
export async function findFreePorts(text: string): Promise<Ports> {
  const ports: Ports = new Map()
  for (const number of portsIn(text)) {
    let free = await listenOnce(0)
    while ([...ports.values()].includes(String(free))) free = await listenOnce(0)
    ports.set(number, String(free))
  }
  return ports
}

/** Finds as many free ports, one after the other. */
export async function findFreeRow(length: number): Promise<number[]> {
  for (;;) {
    const first = (await listenOnce(0))!
    const row = Array.from({ length }, (_, at) => first + at)
    const free = await Promise.all(row.map(listenOnce))
    if (free.every((port) => port !== undefined)) return row
  }
}

/** Listens for a moment. Returns the port, or `undefined` where it is taken. */
function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
