const app = require('express4')()
app.get('/first', (req, res) => res.end())
throw new Error('The database is not there')
