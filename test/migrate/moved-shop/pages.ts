import { Router } from 'express'
import { homePage, loginPage } from '../pages.js'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromExpress, fromRouter } from 'routecontrollers/express'

/** The pages of the shop, and its login form. */
export function pages(): Router {
  const router = Router()

  router.use(new RouteControllers([
  new Controller('GET', expressPath('/'), fromExpress((req, res) => {
    res.send(homePage({ customer: req.session.customer, lastViewed: req.cookies.lastViewed }))
  })),

  new Controller('GET', expressPath('/login'), fromExpress((_req, res) => {
    res.send(loginPage())
  })),

  // A shop on trust: the name is the whole login.
  new Controller('POST', expressPath('/login'), fromExpress((req, res, next) => {
    const name: unknown = req.body?.name
    if (typeof name !== 'string' || name.trim() === '') {
      res.status(400).send(loginPage())
      return
    }
    // A new session id, so that nobody can hand out an id and be logged in with it; the cart comes along.
    const { cart } = req.session
    req.session.regenerate((error) => {
      if (error) return next(error)
      req.session.customer = name.trim()
      if (cart) req.session.cart = cart
      res.redirect('/')
    })
  })),
  ], { profile: fromRouter(router) }).middleware())

  return router
}
