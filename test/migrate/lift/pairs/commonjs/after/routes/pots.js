const pots = require('../controllers/pots');
const { Controller } = require('routecontrollers');

const store = ['blue', 'red'];
const router = [
  new Controller('GET', '/', pots.listNative(store)), // all of them
  new Controller('GET', '/:id', pots.showNative),
];

module.exports = router;
