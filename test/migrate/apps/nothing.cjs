require('node:http')
  .createServer((req, res) => res.end())
  .listen(3000)
