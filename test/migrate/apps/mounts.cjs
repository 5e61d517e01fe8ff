// The first thing that the app registers is another app, and later something is put before it.
const express = require('express4')

const app = express()
const admin = express()
const node = express()
admin.get('/a', (req, res) => res.end())
node.get('/b', (req, res) => res.end())
app.use('/admin', admin)
app.use('/node', node)
app.use(function first(req, res, next) {
  next()
})
app._router.stack.unshift(app._router.stack.pop())
app.listen(3000)
