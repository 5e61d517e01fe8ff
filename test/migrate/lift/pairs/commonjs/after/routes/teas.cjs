'use strict';

const { Controller } = require('routecontrollers');

const router = [
	new Controller('GET', '/', (req, res) => res.json(['Assam', 'Keemun'])),
	new Controller('HEAD', '/:id', (req, res) => res.header('x-head', req.params.id).end()),
	new Controller('GET', '/:id', async (req, res) => {
		await null;
		return res.json({ tea: req.params.id });
	}),
];

module.exports = router;
