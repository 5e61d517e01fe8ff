// A plain bridge between node:http and a fetch handler, as programs write it.
const { Readable } = require('node:stream')

exports.toRequest = function toRequest(req, res) {
  const abort = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) abort.abort()
  })
  const headers = new Headers()
  for (let at = 0; at < req.rawHeaders.length; at += 2)
    headers.append(req.rawHeaders[at], req.rawHeaders[at + 1])
  // A Request of GET or HEAD has none.
  const mayHaveBody = req.method !== 'GET' && req.method !== 'HEAD'
  const hasBody =
    mayHaveBody &&
    (req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined)
  return new Request(`http://${req.headers.host ?? 'localhost'}${req.url}`, {
    method: req.method,
    headers,
    signal: abort.signal,
    ...(hasBody && { body: Readable.toWeb(req), duplex: 'half' }),
  })
}

exports.writeResponse = async function writeResponse(res, response) {
  const cookies = response.headers.getSetCookie()
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie')
  if (cookies.length > 0) headers.push(['set-cookie', cookies])
  res.writeHead(response.status, response.statusText, Object.fromEntries(headers))
  // Not flushHeaders(), which writes Latin-1 as UTF-8.
  res.write(new Uint8Array())
  const reader = response.body?.getReader()
  res.once('close', () => reader?.cancel().catch(() => {}))
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return res.end()
      res.write(value)
    }
  } catch {
    res.destroy()
  }
}
