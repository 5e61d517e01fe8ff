import { Router as makeRouter, json } from 'express'
import * as rc from 'routecontrollers/express'
import { native as native2 } from 'routecontrollers/express'

// Forms of all kinds,
// in one router.
export const forms = makeRouter() // made here

const parse = json()
void parse

forms.get('/text', native2(() => `two
  lines and ${[
    'more',
  ].join()}`))
/* before */ forms.get('/comment', /* the callback */ native2((req, res) => res.text('comment') // its end
))

export function helper() {
  return 'helped'
}
forms.post(
  '/body',
  native2(
    (req, res) => {
      return res.json(req.body ?? 'none')
    },
    { body: 'parse', name: 'body', },
  ),
)

// helps
forms.get('/helped', rc.native(helper)); forms.get('/same-line', rc.native(() => ({ same: 'line' })))
