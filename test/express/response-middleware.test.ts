import compression from 'compression'
import session from 'express-session'
import { describeAlike } from './support/compare.js'

const bodies = {
  json: { target: '/x?body=json', headers: { 'Accept-Encoding': 'gzip' } },
  text: { target: '/x?body=text', headers: { 'Accept-Encoding': 'gzip' } },
  'a fresh copy': { target: '/x?body=json', headers: { 'If-None-Match': '*' } },
  HEAD: { method: 'HEAD', target: '/x?body=text', headers: { 'Accept-Encoding': 'gzip' } },
  'no encoding': { target: '/x?body=json' },
}

const text = 'ä compressible text. '.repeat(100)
const answer = (req: any, res: any): void => {
  if (req.query.body === 'json') res.json({ text, seen: req.session?.seen })
  else res.send(text)
}

describeAlike('compression before res.json and res.send', bodies, [
  compression({ threshold: 0 }) as never,
  answer,
])

describeAlike('express-session before res.json and res.send', bodies, [
  session({
    secret: 'keyboard cat',
    resave: false,
    saveUninitialized: true,
    genid: () => 'always-the-same',
    store: new session.MemoryStore(),
  }) as never,
  answer,
])
