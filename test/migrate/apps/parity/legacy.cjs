// The app before anything moved.
const { appendFileSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { randomUUID } = require('node:crypto')
const express = require('express')

const users = join(process.env.DATA ?? join(__dirname, 'data'), 'users.txt')
console.log(`data in ${users}`)
const read = () => readFileSync(users, 'utf8').trim().split('\n')
let left = 1000

function requireToken(req, res, next) {
  if (req.get('authorization') === 'Bearer secret') next()
  else res.status(401).json({ error: 'No token' })
}

const app = express()
app.use(express.json())
app.use('/admin', requireToken)
app.get('/users', (req, res) => res.json(read()))
app.post('/users', (req, res) => {
  appendFileSync(users, `${req.body.name}\n`)
  res.status(201).json({ users: read().length })
})
app.get('/admin/users', (req, res) => res.json(read()))
app.get('/ping', (req, res) => res.type('text').send('pong'))
app.get('/orders/:id', (req, res) => {
  res.set({ 'RateLimit-Remaining': String(--left), 'Cache-Control': 'no-store' })
  res.json({ id: req.params.id, receipt: randomUUID(), at: new Date(), items: '.'.repeat(left % 7) })
})
app.get('/{*page}', (req, res) => res.send('<h1>The page</h1>'))
module.exports = { app, read, requireToken, users }

if (require.main === module) app.listen(process.env.PORT ?? 3000, () => console.log('The app listens'))
