import { createServer } from 'node:http'
import express from 'express'

const app = express()
app.use('/v1', (req, res, next) => next())
app.get(['/v1/a', '/v1/b'], (req, res) => res.end())
app.get(/^\/v1\/c(\d+)$/, (req, res) => res.end())
setTimeout(() => app.get('/v1/later', (req, res) => res.end()), 50)
createServer((req, res) => app(req, res)).listen()
