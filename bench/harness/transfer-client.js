/** Moves MiB to or from a server and prints the seconds: `node transfer-client.js <port> <json | down | up> <MiB>`. */
import { Agent, request as send } from 'node:http'

const [port, way, amount] = process.argv.slice(2)
const mebibyte = 1024 * 1024
const agent = new Agent({ keepAlive: true })
const ways = { json: echoAll, down: () => exchange('GET', `/down?bytes=${amount * mebibyte}`), up }

const start = performance.now()
await ways[way]()
console.log((performance.now() - start) / 1000)
agent.destroy()

/** 1 MiB of JSON there and back for each MiB, over four connections. */
async function echoAll() {
  const item = { id: 1, name: 'Green tea', price: 3.5, tags: ['loose', 'organic'] }
  const one = JSON.stringify(item).length + 1
  const body = Buffer.from(JSON.stringify(Array.from({ length: Math.floor(mebibyte / one) - 1 }, () => item)))
  let left = Number(amount)
  const work = async () => {
    while (left-- > 0) expect(await exchange('POST', '/echo', body), body.length)
  }
  await Promise.all([work(), work(), work(), work()])
}

async function up() {
  const { text } = await exchange(
    'POST',
    '/up',
    Buffer.alloc(64 * 1024, 'x'),
    (amount * mebibyte) / (64 * 1024),
  )
  if (JSON.parse(text).bytes !== amount * mebibyte) throw new Error(`${text} arrived of ${amount} MiB`)
}

/** Sends the chunk so many times as one body; resolves with the size of the answer, and its text when it is short. */
function exchange(method, path, chunk = Buffer.alloc(0), times = 1) {
  return new Promise((resolve, reject) => {
    const headers = chunk.length === 0 ? {} : { 'Content-Length': chunk.length * times }
    headers['Content-Type'] = path === '/echo' ? 'application/json' : 'application/octet-stream'
    const req = send({ host: '127.0.0.1', port, method, path, headers, agent }, (res) => {
      let bytes = 0
      let text = ''
      res.on('data', (data) => {
        bytes += data.length
        if (bytes < 1000) text += data
      })
      res.on('error', reject)
      res.on('end', () => {
        if (res.statusCode !== 200) return reject(new Error(`${path} gives ${res.statusCode}: ${text}`))
        if (path.startsWith('/down')) expect({ bytes }, amount * mebibyte)
        resolve({ bytes, text })
      })
    })
    req.on('error', reject)
    let left = times
    const write = () => {
      while (left > 0) {
        left--
        if (!req.write(chunk)) return void req.once('drain', write)
      }
      req.end()
    }
    if (chunk.length === 0) req.end()
    else write()
  })
}

function expect({ bytes }, wanted) {
  if (bytes !== wanted) throw new Error(`${way}: ${bytes} bytes came of ${wanted}`)
}
