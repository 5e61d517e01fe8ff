/** @jsx h */
import express from 'express'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromApp, fromExpress } from 'routecontrollers/express'

const h = (name, attributes, ...children) =>
  `<${name}${Object.entries(attributes ?? {}).map(([key, value]) => ` ${key}="${value}"`).join('')}>${children.join('')}</${name}>`

const app = express()

app.use(new RouteControllers([
new Controller('GET', expressPath('/'), fromExpress((req, res) => res.send(<main id="top">Hello {req.query.name ?? 'you'}</main>))),
new Controller('GET', expressPath('/list'), fromExpress((req, res) => {
  res.send(
    <ul>
      {['a', 'b'].map((one) => <li>{one}</li>)}
    </ul>,
  )
})),
], { profile: fromApp(app) }).middleware())

export default app
