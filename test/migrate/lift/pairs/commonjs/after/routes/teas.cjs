'use strict';

const { json, Router } = require('express');
const { fromRouter } = require('routecontrollers/express');
const { Controller, RouteControllers } = require('routecontrollers');

const requireUser = (req, res, next) =>
	req.get('x-user') === undefined ? res.status(401).send('who are you?') : next();

const router = new RouteControllers([
	new Controller('GET', '/', (req, res) => res.json(['Assam', 'Keemun'])),
	new Controller('HEAD', '/:id', (req, res) => res.header('x-head', req.params.id).end()),
	new Controller('GET', '/:id', async (req, res) => {
		await null;
		return res.json({ tea: req.params.id });
	}),
], { profile: fromRouter(Router()) });
// For users alone.
router.addGlobal(requireUser, { scope: 'every' });
router.addGlobal(json(), { scope: 'every' }); // all of it

module.exports = router;
