import { Router } from 'express'
import { CupController, listNative } from '../controllers/cups.mjs'

const router = Router()
const cups = new CupController()

router.get('/', listNative)
router.get('/:id', cups.showNative)
router.post('/', (_req, res, next) => {
  res.set('x-cups', 'added')
  next()
}, cups.addNative)
router.put(
    '/:id',
    (_req, res, next) => {
      res.set('x-cups', `two
lines`.length.toString())
      next()
    },
    cups.putNative,
)

export default router
