import type { Request, Response } from 'express'
import { type RouteRequest, type ResponseBuilder } from 'routecontrollers'

export interface Cup {
  size: number
}

export class CupController {
  readonly #cups = new Map([['1', { size: 2 }]])

  show = (req: Request, res: Response) => res.json(this.#cups.get(String(req.params['id'])) ?? {})

  showNative = (req: RouteRequest, res: ResponseBuilder) => {
    return res.json(this.#cups.get(String(req.params['id'])) ?? {})
  }

  putNative = (req: RouteRequest, res: ResponseBuilder) => res.json([req.params['id']])

  add(req: Request<{}, {}, Cup>, res: Response): void {
    res.status(201).json({ size: req.body?.size ?? null })
  }

  addNative = (req: RouteRequest<string, Request<{}, {}, Cup>>, res: ResponseBuilder) => {
    return res.status(201).json({ size: req.body?.size ?? null })
  }
}

export const list = (_req: Request, res: Response) => void res.json([])

export const listNative = (_req: RouteRequest, res: ResponseBuilder) => {
  return res.json([])
}
