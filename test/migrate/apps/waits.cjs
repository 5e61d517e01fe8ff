const app = require('express4')()
app.get('/first', (req, res) => res.end())
// What it waits for never comes.
setInterval(() => {}, 1000)
