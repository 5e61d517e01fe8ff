import { request as send } from 'node:http'

/**
 * Throws unless the contender gives exactly the answer that all must give: JSON with status 200, if the request says nothing else.
 * `headers` must be there too. What matches `anew` is another one in each answer.
 */
export function checkAnswer(name, request, { status, headers, body }, required = []) {
  const problems = []
  if (status !== (request.status ?? 200)) problems.push(`status ${status}`)
  if (!isType(headers['content-type'], request.type)) problems.push(`Content-Type ${headers['content-type']}`)
  const steady = (text) =>
    request.anew === undefined ? text : text.replace(new RegExp(request.anew, 'g'), '')
  if (steady(body) !== steady(request.answer)) problems.push(`body ${body.slice(0, 200)}`)
  for (const header of required) if (headers[header] === undefined) problems.push(`no ${header}`)
  if (problems.length > 0)
    throw new Error(`${name}: ${request.method} ${request.path} gives ${problems.join(', ')}`)
}

// RFC 8259 8.1: JSON is UTF-8, whether a charset says so or not.
const isType = (type, wanted) =>
  wanted === undefined
    ? type?.toLowerCase().replace(/;\s*charset=utf-8$/, '') === 'application/json'
    : type === wanted

/** The headers of a request that are not those of each client. */
export const headersOf = ({ headers, body }) => ({
  ...(body !== undefined && { 'Content-Type': 'application/json' }),
  ...headers,
})

/** Sends one request over a connection of its own. */
export function fetchOnce(port, request) {
  const { method, path, body } = request
  return new Promise((resolve, reject) => {
    const headers = headersOf(request)
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
