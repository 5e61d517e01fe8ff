import { inspect } from 'node:util'
import express5, { type Express } from 'express'
import express4 from 'express4'
import { Controller } from 'routecontrollers'
import {
  express4 as profile4,
  express5 as profile5,
  type ExpressRequest,
  type ExpressResponse,
  fromExpress,
} from 'routecontrollers/express'
import {
  closeAll,
  describeServings,
  listenOn,
  type SendOptions,
  sendTo,
  type ServeOptions,
} from '../../support/describe-servings.js'

/** A request; its target is `/x` unless given, which is the path that is served. */
export interface Asked extends SendOptions {
  target?: string
}

/** What a test reads; what it throws counts as well. */
export type Read = (req: ExpressRequest, res: ExpressResponse) => unknown

export interface ReadingOptions {
  /** Of the app and of the profile alike. With any, there is no comparison without a profile. */
  settings?: Record<string, unknown>
  /** Middleware before the handler, in the app and among its handlers alike. */
  before?: readonly ((req: ExpressRequest, res: ExpressResponse, next: () => void) => void)[]
  /** False for what a request in memory cannot have, as an address. */
  web?: boolean
  versions?: readonly (4 | 5)[]
}

type Handler = (req: ExpressRequest, res: ExpressResponse) => void

function shows(read: Read): Handler {
  return (req, res) => {
    let text: string
    try {
      text = inspect(read(req, res), { depth: 9, breakLength: Infinity, compact: true })
    } catch (error) {
      text = `threw ${String(error)}`
    }
    res.end(text)
  }
}

/**
 * Compares what a handler reads of a request in the installed Express with what it reads through `fromExpress`: under the
 * profile of that version and, against Express 5, under none; in each way of serving.
 */
export function describeReading(
  topic: string,
  requests: Readonly<Record<string, Asked>>,
  read: Read,
  { settings, before = [], web = true, versions = [4, 5] }: ReadingOptions = {},
): void {
  const configure = (app: Express): void => {
    for (const [name, value] of Object.entries(settings ?? {})) app.set(name, value)
  }
  const modes = [
    ...versions.map((version) => ({ version, profile: version === 4 ? profile4 : profile5 })),
    ...(settings === undefined && versions.includes(5) ? [{ version: 5 as const, profile: undefined }] : []),
  ]
  for (const { version, profile } of modes) {
    const under = profile === undefined ? 'no profile' : `the profile of Express ${version}`
    describeServings(
      `${topic}, under ${under}`,
      ({ serve }) => {
        afterEach(closeAll)

        it.each(Object.entries(requests))('%s', async (_name, { target = '/x', ...options }) => {
          const handlers = [...before, shows(read)] as never[]
          const app = (version === 4 ? express4 : express5)()
          configure(app)
          app.all('/x', ...handlers)
          const theirs = await listenOn(app)
          const ours: ServeOptions = { upstream: configure }
          if (profile !== undefined) ours.profile = profile({ ...(settings && { settings }) })
          const { send } = await serve([new Controller('*', '/x', fromExpress(...handlers))], ours)
          try {
            const expected = await sendTo(theirs.port)(target, options)
            const answer = await send(target, options)
            expect({ status: answer.status, text: answer.text }).toEqual({
              status: expected.status,
              text: expected.text,
            })
          } finally {
            await theirs.close()
          }
        })
      },
      ({ name, onNode }) =>
        (onNode || web) && (!name.startsWith('inside') || name === `inside Express ${version}`),
    )
  }
}
