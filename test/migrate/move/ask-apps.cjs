// Asks apps that files export, one after the other: what Node and Express take to load is paid once. Each file of an app is loaded anew.
const { createRequire } = require('node:module')
const { join } = require('node:path')

const { cache } = require

/** The status, the type, the tag and the body of each answer. */
async function answersOf(app, asked) {
  const server = app.listen(0)
  const told = []
  for (const { method = 'GET', path, headers } of asked) {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}${path}`, { method, headers })
    const { status, headers: sent } = answer
    told.push([path, status, sent.get('content-type'), sent.get('etag'), await answer.text()])
  }
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return told
}

process.on('message', async ({ file, asked }) => {
  for (const name of Object.keys(cache)) if (!/[\\/]node_modules[\\/]/.test(name)) delete cache[name]
  const loaded = /\.(?:ts|mjs)$/.test(file)
    ? await import(file)
    : createRequire(join(process.cwd(), 'x'))(file)
  const app = loaded.default?.default ?? loaded.default ?? loaded
  process.send(await answersOf(app, asked))
})
