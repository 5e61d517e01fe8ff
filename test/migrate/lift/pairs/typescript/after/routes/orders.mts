import { Controller } from 'routecontrollers'

export interface Order {
  id: string
}

interface Extra {
  user?: { id: string }
}

export const orders = [
  new Controller('GET', '/:id', (req, res) => res.json({ id: req.params.id } satisfies Order)),
  new Controller<'/:id', Extra>(
    'PUT',
    '/:id',
    (req, res) => {
      return res.json({ id: req.params.id, by: req.user?.id ?? null })
    },
  ),
]
