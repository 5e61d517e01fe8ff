'use strict';

const { json, Router } = require('express');
const { native } = require('routecontrollers/express');

const requireUser = (req, res, next) =>
	req.get('x-user') === undefined ? res.status(401).send('who are you?') : next();

const router = Router();

// For users alone.
router.use(requireUser, json()); // all of it

router.get('/', native((req, res) => res.json(['Assam', 'Keemun'])));
router.head('/:id', native((req, res) => res.header('x-head', req.params.id).end()));
router.get('/:id', native(async (req, res) => {
	await null;
	return res.json({ tea: req.params.id });
}));

module.exports = router;
