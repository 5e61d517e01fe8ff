import type { ExpressRequest, ExpressResponse, NextFunction } from 'routecontrollers/express'
import { isWhole } from '../../support/counts.js'
import { type CompareOptions, describeAlike, tellError, type WireRequest } from './compare.js'

type Answer = (req: ExpressRequest, res: ExpressResponse, next: NextFunction) => unknown

/**
 * Compares what each of several handlers answers to each of several requests (default: one GET), and what it throws, with
 * the same handler's answer in the installed Express. In the loop not in front of an Express: a Controller answers them all.
 */
export function describeAnswers(
  topic: string,
  answers: Readonly<Record<string, Answer>>,
  {
    requests = { '': {} },
    ...options
  }: CompareOptions & { requests?: Readonly<Record<string, WireRequest>> } = {},
): void {
  const cases: Record<string, WireRequest> = {}
  const names = Object.keys(answers)
  for (const [asked, request] of Object.entries(requests)) {
    for (const [at, name] of names.entries()) {
      const headers = { ...(request.headers as Record<string, string> | undefined), 'x-case': String(at) }
      cases[asked === '' ? name : `${name}; ${asked}`] = { ...request, headers }
    }
  }
  const pick: Answer = (req, res, next) => answers[names[Number(req.get('x-case'))]!]!(req, res, next)
  describeAlike(topic, cases, [pick, tellError], { inFront: isWhole, ...options })
}
