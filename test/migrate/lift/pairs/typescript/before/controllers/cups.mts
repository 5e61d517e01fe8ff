import type { Request, Response } from 'express'
import { native } from 'routecontrollers/express'

export interface Cup {
  size: number
}

export class CupController {
  readonly #cups = new Map([['1', { size: 2 }]])

  show = (req: Request, res: Response) => res.json(this.#cups.get(String(req.params['id'])) ?? {})

  showNative = native((req, res) => {
    return res.json(this.#cups.get(String(req.params['id'])) ?? {})
  })

  putNative = native((req, res) => res.json([req.params['id']]), { body: 'stream' })

  add(req: Request<{}, {}, Cup>, res: Response): void {
    res.status(201).json({ size: req.body?.size ?? null })
  }

  addNative = native<object, Request<{}, {}, Cup>>((req, res) => {
    return res.status(201).json({ size: req.body?.size ?? null })
  }, { body: 'stream' })
}

export const list = (_req: Request, res: Response) => void res.json([])

export const listNative = native((_req, res) => {
  return res.json([])
})
