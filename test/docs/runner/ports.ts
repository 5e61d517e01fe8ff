import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

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

// They are listened on later, by a process that only reads them. So they are none of those that the system gives to who asks for port 0,
// which begin at 32768 or later, and those of each process of Jest are others.
let next = 11_000 + (Number(process.env['JEST_WORKER_ID'] ?? 0) % 10) * 2000 + randomInt(1000)

/** Finds a free port for each that a text names. */
export async function findFreePorts(text: string): Promise<Ports> {
  const ports: Ports = new Map()
  for (const number of portsIn(text)) {
    const [free] = await findFreeRow(1)
    ports.set(number, String(free))
  }
  return ports
}

/** Finds as many free ports, one after the other. Gives none of them twice. */
export async function findFreeRow(length: number): Promise<number[]> {
  for (;;) {
    const row = Array.from({ length }, () => next++)
    if ((await Promise.all(row.map(isFree))).every(Boolean)) return row
  }
}

/** Listens for a moment. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}
