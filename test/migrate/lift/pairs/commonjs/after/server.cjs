const express = require('express');
const { shelves, places: known } = require('./routes/shelves');
const { RouteControllers } = require('routecontrollers');
const { fromRouter } = require('routecontrollers/express');

const app = express();
const api = express.Router();

const count = (req, res, next) => {
  res.set('x-count', String(req.originalUrl.length));
  next();
};

app.use('/api', count, api);
api.use('/teas', require('./routes/teas.cjs').middleware());
api.use(['/cups', '/mugs'], [count, new RouteControllers(require('./routes/cups').cups, { profile: fromRouter(express.Router()) }).middleware()]);
api.use('/shops/:shop/shelves', new RouteControllers(shelves, { profile: fromRouter(express.Router({ mergeParams: true })) }).middleware());
api.use('/pots', new RouteControllers(require('./routes/pots'), { profile: fromRouter(express.Router()) }).middleware());
api.get('/shelves', (req, res) => res.json(known));
api.post('/teas/:id', (req, res) => res.send('behind'));

const server = app.listen(0, () => console.log(server.address().port));
