const app = require('express4')()
app.get('/first', (req, res) => res.end())
for (;;);
