// The app of moved.cjs before that.
const { readFileSync } = require('node:fs')
const express = require('express')

const app = express()
console.log(`data in ${__dirname}`)
const read = () => readFileSync(`${__dirname}/data/users.txt`, 'utf8').trim().split('\n')
app.get('/ping', (req, res) => res.send(process.env.PONG ?? 'pong'))
app.get('/users', (req, res) => res.json(read()))
app.get('/admin/users', (req, res) => res.sendStatus(401))
app.get('/{*page}', (req, res) => res.send('<h1>The page</h1>'))
app.listen(3000)
