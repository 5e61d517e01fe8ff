import { CupController, listNative } from '../controllers/cups.mjs'
import { Controller, fromConnect } from 'routecontrollers'

const cups = new CupController()

const router = [
  new Controller('GET', '/', listNative),
  new Controller('GET', '/:id', cups.showNative),
  new Controller('POST', '/', cups.addNative, { body: 'stream' }).use(fromConnect((_req, res, next) => {
    res.set('x-cups', 'added')
    next()
  })),
  new Controller(
      'PUT',
      '/:id',
      cups.putNative,
    { body: 'stream' },
  ).use(fromConnect((_req, res, next) => {
    res.set('x-cups', `two
lines`.length.toString())
    next()
  })),
]

export default router
