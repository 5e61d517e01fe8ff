/** Reads a JSON body as one does by hand. Who must not trust the client also counts, and catches. */
export function readJson(req, done) {
  const chunks = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => done(JSON.parse(Buffer.concat(chunks).toString())))
}
