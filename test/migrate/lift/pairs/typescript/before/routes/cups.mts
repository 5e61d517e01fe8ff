import { Router } from 'express'
import { CupController, listNative } from '../controllers/cups.mjs'

const router = Router()
const cups = new CupController()

router.get('/', listNative)
router.get('/:id', cups.showNative)
router.post('/', (_req, _res, next) => next(), cups.addNative)

export default router
