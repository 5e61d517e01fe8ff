/** Large bodies by hand: JSON in and out, a stream down, a stream up. */
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'
import { sendJson } from './node-http.js'
import { createSource, countBytes } from './support/large-source.js'
import { listen } from './support/listen.js'
import { readJson } from './support/read-json.js'

export const start = () =>
  listen(
    createServer(async (req, res) => {
      const url = new URL(req.url, 'http://localhost')
      if (url.pathname === '/echo') return readJson(req, (value) => sendJson(res, value))
      if (url.pathname === '/up') return sendJson(res, { bytes: await countBytes(req) })
      res.writeHead(200, { 'Content-Type': 'application/octet-stream' })
      pipeline(createSource(Number(url.searchParams.get('bytes'))), res, () => {})
    }),
  )
