/** What a client of HTTP/2 says first. RFC 9113 3.4. */
export const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

/** A frame as RFC 9113 4.1 has it. */
export function frame(type: number, flags: number, stream: number, payload: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(payload)
  const head = Buffer.alloc(9)
  head.writeUIntBE(bytes.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, bytes])
}

/** Names and values of a head, pseudo-headers included; one character is one byte. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** A head as literals that are not indexed, without Huffman coding, and without a look at what they say. RFC 7541 6.2.2. */
export function headBlock(fields: Fields): Buffer {
  return Buffer.concat(
    fields.map(([name, value]) => Buffer.concat([Buffer.of(0), literal(name), literal(value)])),
  )
}

// RFC 7541 5.1, with a prefix of 7 bits.
function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  const length = bytes.length < 127 ? [bytes.length] : [127]
  if (bytes.length >= 127) {
    let rest = bytes.length - 127
    for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128)
    length.push(rest)
  }
  return Buffer.concat([Buffer.from(length), bytes])
}

const maxFrameBytes = 16_384
const [headers, continuation, endStream, endHeaders] = [1, 9, 0x1, 0x4]

/** The frames of a head: HEADERS, and CONTINUATION where it is long. RFC 9113 6.10. */
export function headFrames(stream: number, block: Buffer, isWhole: boolean): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at === 0 || at < block.length; at += maxFrameBytes) {
    const isLast = at + maxFrameBytes >= block.length
    const flags = (at === 0 && isWhole ? endStream : 0) | (isLast ? endHeaders : 0)
    pieces.push(
      frame(at === 0 ? headers : continuation, flags, stream, block.subarray(at, at + maxFrameBytes)),
    )
  }
  return Buffer.concat(pieces)
}
