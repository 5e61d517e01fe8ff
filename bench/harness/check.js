import { request as send } from 'node:http'

/** Throws unless the contender gives exactly the answer that all must give. `headers` must be there too. */
export function checkAnswer(name, request, { status, headers, body }, required = []) {
  const problems = []
  if (status !== 200) problems.push(`status ${status}`)
  // RFC 8259 8.1: JSON is UTF-8, whether a charset says so or not.
  const type = headers['content-type']?.toLowerCase().replace(/;\s*charset=utf-8$/, '')
  if (type !== 'application/json') problems.push(`Content-Type ${headers['content-type']}`)
  if (body !== request.answer) problems.push(`body ${body.slice(0, 200)}`)
  for (const header of required) if (headers[header] === undefined) problems.push(`no ${header}`)
  if (problems.length > 0)
    throw new Error(`${name}: ${request.method} ${request.path} gives ${problems.join(', ')}`)
}

/** Sends one request over a connection of its own. */
export function fetchOnce(port, { method, path, body }) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
    send({ port, method, path, headers, agent: false, host: '127.0.0.1' }, (res) => {
      const chunks = []
      res.on('data', (chunk) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (Number(res.headers['content-length']) !== Buffer.byteLength(text)) {
          reject(new Error(`${method} ${path} has no Content-Length, or a wrong one`))
        }
        resolve({ status: res.statusCode, headers: res.headers, body: text })
      })
    })
      .on('error', reject)
      .end(body)
  })
}
