// Listens, is busy for longer than it may be quiet, and registers a route after that.
const express = require('express')

const app = express()
app.get('/first', (_req, res) => res.send('first'))
app.listen(3000)
setTimeout(() => {
  const end = Date.now() + 600
  while (Date.now() < end);
  setTimeout(() => app.get('/late', (_req, res) => res.send('late')), 60)
}, 30)
