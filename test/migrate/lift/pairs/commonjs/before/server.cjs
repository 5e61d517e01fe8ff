const express = require('express');
const { shelves, places: known } = require('./routes/shelves');

const app = express();
const api = express.Router();

const count = (req, res, next) => {
  res.set('x-count', String(req.originalUrl.length));
  next();
};

app.use('/api', count, api);
api.use('/teas', require('./routes/teas.cjs'));
api.use(['/cups', '/mugs'], [count, require('./routes/cups').cups]);
api.use('/shops/:shop/shelves', shelves);
api.use('/pots', require('./routes/pots'));
api.get('/shelves', (req, res) => res.json(known));
api.post('/teas/:id', (req, res) => res.send('behind'));

const server = app.listen(0, () => console.log(server.address().port));
