const router = require('express4').Router()
router.get('/twice', (req, res) => res.send(req.originalUrl))
module.exports = router
