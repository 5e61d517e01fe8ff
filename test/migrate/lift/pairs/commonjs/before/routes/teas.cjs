'use strict';

const { Router } = require('express');
const { native } = require('routecontrollers/express');

const router = Router();

router.get('/', native((req, res) => res.json(['Assam', 'Keemun'])));
router.head('/:id', native((req, res) => res.header('x-head', req.params.id).end()));
router.get('/:id', native(async (req, res) => {
	await null;
	return res.json({ tea: req.params.id });
}));

module.exports = router;
