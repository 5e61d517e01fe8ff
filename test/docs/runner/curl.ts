import { request } from 'node:http'

/** Cookies by the name of the file that curl would keep them in. */
export type CookieJars = Map<string, Map<string, string>>

/**
 * Does what a curl command does and returns what it prints: not every system has curl, and the documentation needs only a
 * little of it. An option that is not here is an error.
 */
export async function curl(words: string[], jars: CookieJars = new Map()): Promise<string> {
  const options = readOptions(words)
  const headers = new Map([['Accept', '*/*']])
  if (options.data !== undefined) headers.set('Content-Type', 'application/x-www-form-urlencoded')
  if (options.json) headers.set('Content-Type', 'application/json').set('Accept', 'application/json')
  if (options.cookie !== undefined) {
    const jar = jars.get(options.cookie)
    const cookies = options.cookie.includes('=') ? options.cookie : joinCookies(jar)
    if (cookies) headers.set('Cookie', cookies)
  }
  for (const header of options.headers) {
    const [name, value] = header.split(/:\s*(.*)/) as [string, string]
    for (const known of headers.keys()) if (known.toLowerCase() === name.toLowerCase()) headers.delete(known)
    headers.set(name, value)
  }
  if (options.data !== undefined) headers.set('Content-Length', String(Buffer.byteLength(options.data)))

  const { host, path } = splitUrl(options.url)
  const answer = await ask(host, path, {
    method: options.method ?? (options.head ? 'HEAD' : options.data === undefined ? 'GET' : 'POST'),
    headers: Object.fromEntries(headers),
    data: options.data,
  })

  if (options.cookieJar !== undefined) {
    const jar = jars.get(options.cookieJar) ?? new Map<string, string>()
    for (const cookie of answer.setCookie) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
      jar.set(name!, value!)
    }
    jars.set(options.cookieJar, jar)
  }
  const head = options.include || options.head ? `${answer.head}\n\n` : ''
  const body = options.output === '/dev/null' ? '' : answer.body
  const written = options.write.replaceAll('\\n', '\n').replaceAll('%{http_code}', String(answer.status))
  return head + body + written
}

function readOptions(words: string[]) {
  const options = {
    url: '',
    method: undefined as string | undefined,
    headers: [] as string[],
    data: undefined as string | undefined,
    json: false,
    include: false,
    head: false,
    cookie: undefined as string | undefined,
    cookieJar: undefined as string | undefined,
    output: '',
    write: '',
  }
  // `-si` is `-s -i`
  const rest = words
    .slice(1)
    .flatMap((word) => (/^-[a-zA-Z]{2,}$/.test(word) ? [...word.slice(1)].map((c) => `-${c}`) : [word]))
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const value = () => {
      const next = rest.shift()
      if (next === undefined) throw new Error(`curl ${word} needs a value`)
      return next
    }
    if (word === '-s' || word === '--silent' || word === '-S') continue
    else if (word === '-i' || word === '--include') options.include = true
    else if (word === '-I' || word === '--head') options.head = true
    else if (word === '-X' || word === '--request') options.method = value()
    else if (word === '-H' || word === '--header') options.headers.push(value())
    else if (word === '-d' || word === '--data') options.data = value()
    else if (word === '--json') [options.data, options.json] = [value(), true]
    else if (word === '-b' || word === '--cookie') options.cookie = value()
    else if (word === '-c' || word === '--cookie-jar') options.cookieJar = value()
    else if (word === '-o' || word === '--output') options.output = value()
    else if (word === '-w' || word === '--write-out') options.write = value()
    else if (word.startsWith('-')) throw new Error(`test/docs/runner/curl.ts does not know curl ${word}`)
    else if (options.url) throw new Error(`test/docs/runner/curl.ts takes one URL, not also ${word}`)
    else options.url = word
  }
  return options
}

function splitUrl(url: string): { host: string; path: string } {
  const [, host, path] = /^(?:http:\/\/)?([^/?]+)(.*)$/.exec(url) ?? []
  if (!host) throw new Error(`curl: not a URL that can be tried: ${url}`)
  // The path goes as it is written.
  return { host, path: path!.startsWith('/') ? path! : `/${path}` }
}

function joinCookies(jar: Map<string, string> | undefined): string {
  return [...(jar ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
}

interface Answer {
  status: number
  head: string
  setCookie: string[]
  body: string
}

function ask(
  host: string,
  path: string,
  { method, headers, data }: { method: string; headers: Record<string, string>; data: string | undefined },
): Promise<Answer> {
  const [hostname, port = '80'] = host.split(/:(?=\d+$)/)
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers, agent: false }, (res) => {
      let body = ''
      res.setEncoding('utf8')
      res.on('data', (text: string) => (body += text))
      res.on('error', reject)
      res.on('end', () => {
        const lines = [`HTTP/${res.httpVersion} ${res.statusCode} ${res.statusMessage}`]
        for (let at = 0; at < res.rawHeaders.length; at += 2) {
          lines.push(`${res.rawHeaders[at]}: ${res.rawHeaders[at + 1]}`)
        }
        resolve({
          status: res.statusCode!,
          head: lines.join('\n'),
          setCookie: res.headers['set-cookie'] ?? [],
          body,
        })
      })
    })
    asked.on('error', reject)
    asked.setTimeout(60_000, () => asked.destroy(new Error(`No answer to ${method} ${path} within 60 s`)))
    asked.end(data)
  })
}
