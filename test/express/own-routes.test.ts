// What a Controller has of its own under a profile: the schemas and the rules of bodies in front of its callback, also where that is Express's handlers.
import express5 from 'express'
import express4 from 'express4'
import { Controller } from 'routecontrollers'
import { expressPath, fromApp, fromExpress } from 'routecontrollers/express'
import { z } from 'zod'
import { describeServings } from '../support/describe-servings.js'

describe.each([
  [4, express4],
  [5, express5],
] as const)('Under the profile of an app of Express %i', (_version, express: any) => {
  const profile = (): ReturnType<typeof fromApp> => fromApp(express().set('env', 'test'))

  describeServings('handlers of Express', ({ serve }) => {
    it('get no request that does not fit the schemas', async () => {
      const asked: string[] = []
      const handler = (req: any, res: any): void => {
        asked.push(req.url)
        res.json({ id: req.params.id })
      }
      const input = { query: z.object({ size: z.enum(['s', 'm']) }) }
      const controller = new Controller('GET', expressPath('/teas/:id'), fromExpress(handler), { input })
      const { send } = await serve([controller], { profile: profile() })
      expect([(await send('/teas/7?size=x')).status, asked]).toEqual([422, []])
      const { status, text } = await send('/teas/7?size=m')
      expect([status, text, asked]).toEqual([200, '{"id":"7"}', ['/teas/7?size=m']])
    })
  })

  describeServings('a callback', ({ serve }) => {
    it('has a body as a stream, however large', async () => {
      const counting = new Controller(
        'POST',
        '/up',
        async (req) => {
          let bytes = 0
          for await (const chunk of req) bytes += chunk.length
          return { bytes }
        },
        { body: 'stream' },
      )
      const { send } = await serve([counting], { profile: profile(), bodyLimit: 10 })
      const answer = await send('/up', { method: 'POST', body: 'x'.repeat(100) })
      expect([answer.status, answer.text]).toEqual([200, '{"bytes":100}'])
    })
  })
})
