import { isEventStream } from '../../src/node/event-stream.js'

describe('isEventStream', () => {
  const answer = (parts: { head?: string | null; headersSent?: boolean; type?: unknown }): never =>
    ({
      headersSent: parts.headersSent ?? true,
      ...('head' in parts && { _header: parts.head }),
      getHeader: () => parts.type,
    }) as never

  it('reads the head that Node has written', () => {
    expect(isEventStream(answer({ head: 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n' }))).toBe(
      true,
    )
    expect(isEventStream(answer({ head: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n' }))).toBe(false)
    expect(isEventStream(answer({ head: 'HTTP/1.1 200 OK\r\ncontent-type:text/event-stream\r\n' }))).toBe(
      true,
    )
    expect(isEventStream(answer({ head: 'HTTP/1.1 200 OK\r\nX-Content-Type: text/event-stream\r\n' }))).toBe(
      false,
    )
    // The head was written before the header was set.
    expect(isEventStream(answer({ head: 'HTTP/1.1 200 OK\r\n', type: 'text/event-stream' }))).toBe(false)
  })

  it.each([{ head: null }, {}])('reads the headers where there is no such text, as on Bun: %j', (parts) => {
    expect(isEventStream(answer({ ...parts, type: 'text/event-stream; charset=utf-8' }))).toBe(true)
    expect(isEventStream(answer({ ...parts, type: 'text/html' }))).toBe(false)
    expect(isEventStream(answer(parts))).toBe(false)
    expect(isEventStream(answer({ ...parts, type: 'text/event-stream', headersSent: false }))).toBe(false)
  })
})
