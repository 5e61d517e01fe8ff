/** @jsx h */
import express from 'express'

const h = (name, attributes, ...children) =>
  `<${name}${Object.entries(attributes ?? {}).map(([key, value]) => ` ${key}="${value}"`).join('')}>${children.join('')}</${name}>`

const app = express()

app.get('/', (req, res) => res.send(<main id="top">Hello {req.query.name ?? 'you'}</main>))
app.get('/list', (req, res) => {
  res.send(
    <ul>
      {['a', 'b'].map((one) => <li>{one}</li>)}
    </ul>,
  )
})

export default app
