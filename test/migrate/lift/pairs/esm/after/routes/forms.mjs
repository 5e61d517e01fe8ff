import { json } from 'express'
import { Controller } from 'routecontrollers'

const parse = json()
void parse

export function helper() {
  return 'helped'
}

// Forms of all kinds,
// in one router.
export const forms = [ // made here
  new Controller('GET', '/text', () => `two
  lines and ${[
    'more',
  ].join()}`),
  /* before */
  new Controller('GET', '/comment', /* the callback */ (req, res) => res.text('comment') // its end
  ),
  new Controller(
    'POST',
    '/body',
    (req, res) => {
      return res.json(req.body ?? 'none')
    },
    { body: 'parse', name: 'body', },
  ),
  // helps
  new Controller('GET', '/helped', helper),
  new Controller('GET', '/same-line', () => ({ same: 'line' })),
]
