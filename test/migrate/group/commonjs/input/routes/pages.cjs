const express = require('express4')
const router = express.Router()
const hello = (req, res) => res.send('<p>Hello</p>')

router.get('/hello', hello)
router.get('/hello/:name', (req, res, next) => (req.params.name === 'nobody' ? next() : res.send(req.params.name)))
router.get(/^\/any/, hello)
router.get('/where', (req, res) => res.json([req.url, req.baseUrl, req.route.path]))
router.param('tea', (req, res, next, tea) => next(tea === 'none' ? new Error('none') : undefined))
router.get('/tea/:tea', hello)
router.get('/last', hello)

module.exports = router
