import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { cert } from '../support/certificate.js'
import { frame, headBlock, headFrames, preface } from '../support/http2-frames.js'

/** What a client says before its first request; nothing of an answer is kept for the next one, so that each can be read alone. */
export const opening = Buffer.concat([
  Buffer.from(preface),
  // SETTINGS_HEADER_TABLE_SIZE is 0.
  frame(4, 0, 0, Buffer.from([0, 1, 0, 0, 0, 0])),
])

/** A request, or its beginning, as the frames of a stream. */
export function requestFrames(
  path: string,
  { stream = 1, fields = {}, data }: { stream?: number; fields?: Record<string, string>; data?: string } = {},
): Buffer {
  const method = data === undefined ? 'GET' : 'POST'
  const head = { ':method': method, ':scheme': 'https', ':authority': 'x', ':path': path, ...fields }
  return Buffer.concat([
    headFrames(stream, headBlock(Object.entries(head)), data === undefined),
    ...(data === undefined ? [] : [frame(0, 0, stream, data)]),
  ])
}

/** The same session for all: a handshake is most of what a short connection costs. */
let ticket: Buffer | undefined

/** A connection of TLS that has chosen HTTP/2, and the one of TCP below it. Errors are nobody's. */
export function connectRaw(
  port: number,
  onConnect: (socket: TLSSocket) => void,
): { socket: TLSSocket; tcp: Socket } {
  const tcp = connectTcp({ port, host: '127.0.0.1', noDelay: true })
  const socket = connectTls(
    {
      socket: tcp,
      servername: 'localhost',
      ca: cert,
      ALPNProtocols: ['h2'],
      ...(ticket && { session: ticket }),
    },
    () => onConnect(socket),
  )
  socket.on('session', (session) => (ticket ??= session))
  for (const one of [tcp, socket]) one.on('error', () => {})
  return { socket, tcp }
}

const statusesOfTable: Record<number, string> = {
  8: '200',
  9: '204',
  10: '206',
  11: '304',
  12: '400',
  13: '404',
  14: '500',
}
// RFC 7541, appendix B.
const digits: Record<string, string> = {
  '00000': '0',
  '00001': '1',
  '00010': '2',
  '011001': '3',
  '011010': '4',
  '011011': '5',
  '011100': '6',
  '011101': '7',
  '011110': '8',
  '011111': '9',
}

/** Type and payload of each whole frame in what a server has sent. */
function* framesIn(received: Buffer): Generator<{ type: number; payload: Buffer }> {
  for (let at = 0; at + 9 <= received.length;) {
    const size = received.readUIntBE(at, 3)
    yield { type: received[at + 3]!, payload: received.subarray(at + 9, at + 9 + size) }
    at += 9 + size
  }
}

/** The statuses in what a server has sent, of which `opening` has forbidden it to keep a table. */
export function statusesIn(received: Buffer): string[] {
  return Array.from(framesIn(received), ({ type, payload }) => (type === 1 ? statusOf(payload) : '')).filter(
    Boolean,
  )
}

/** True where the server has said GOAWAY: a client has nothing to wait for then. */
export function hasGoaway(received: Buffer): boolean {
  for (const { type } of framesIn(received)) if (type === 7) return true
  return false
}

function statusOf(block: Buffer): string {
  let at = 0
  // That the table is smaller now.
  while ((block[at]! & 0xe0) === 0x20) at++
  const first = block[at]!
  if ((first & 0x80) !== 0) return statusesOfTable[first & 0x7f] ?? 'unknown'
  // A literal with the name of the table: where its index takes 4 bits, or 6.
  const length = block[at + 1]!
  const value = block.subarray(at + 2, at + 2 + (length & 0x7f))
  if ((length & 0x80) === 0) return value.toString('latin1')
  let bits = Array.from(value, (byte) => byte.toString(2).padStart(8, '0')).join('')
  let text = ''
  while (text.length < 3) {
    const code = [bits.slice(0, 5), bits.slice(0, 6)].find((one) => one in digits)
    if (code === undefined) return 'unknown'
    text += digits[code]
    bits = bits.slice(code.length)
  }
  return text
}
