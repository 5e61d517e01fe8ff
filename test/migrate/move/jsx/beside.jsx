/** @jsx h */
import express from 'express'
import { native, sendValue } from 'routecontrollers/express'

const h = (name, attributes, ...children) =>
  `<${name}${Object.entries(attributes ?? {}).map(([key, value]) => ` ${key}="${value}"`).join('')}>${children.join('')}</${name}>`

const app = express()

app.get('/',
  native((req, res) => sendValue(res, <main id="top">Hello {req.query.name ?? 'you'}</main>)),
  (req, res) => res.send(<main id="top">Hello {req.query.name ?? 'you'}</main>))
app.get('/list', native((req, res) => {
  return sendValue(res,
    <ul>
      {['a', 'b'].map((one) => <li>{one}</li>)}
    </ul>,
  )
}), (req, res) => {
  res.send(
    <ul>
      {['a', 'b'].map((one) => <li>{one}</li>)}
    </ul>,
  )
})

export default app
