import { app } from './app.mjs'

const server = app.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address()?.port}\n`))
// Ends with who has started it.
if (process.send !== undefined) process.on('disconnect', () => process.exit())
