/** Resolves with the port of a node:http server, or of an app that has `listen`, when it listens. */
export function listen(server) {
  return new Promise((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () => resolve(listening.address().port))
  })
}
