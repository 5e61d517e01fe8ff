const app = require('express4')()
app.get('/first', (req, res) => res.end())
// Its turn never ends. A loop would not let the machine go on either.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
