const { Router } = require('express');
const pots = require('../controllers/pots');

const store = ['blue', 'red'];
const router = Router();

router.get('/', pots.listNative(store)); // all of them
router.get('/:id', pots.showNative);

module.exports = router;
