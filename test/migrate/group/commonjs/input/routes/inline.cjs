const router = require('express4').Router()
router.get('/guarded', (req, res) => res.send('guarded'))
module.exports = router
