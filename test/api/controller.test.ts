import { Controller } from 'routecontrollers'
import { describeServings } from '../support/describe-servings.js'

describeServings('Controller', ({ serve, misses }) => {
  it('answers with what its callback returns', async () => {
    const { send } = await serve([
      new Controller('GET', '/users/:userId', (req, res) => res.json({ userId: req.params.userId })),
    ])
    const answer = await send('/users/7')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.json()).toEqual({ userId: '7' })
  })

  it('leaves a path that it does not match to whoever stands behind', async () => {
    const { send } = await serve([new Controller('GET', '/test', () => 'x')], {
      downstream: (app) => void app.get('/legacy', (_req, res) => void res.send('legacy')),
    })
    const answer = await send('/legacy')
    expect([answer.status, answer.text]).toEqual(misses === 'us' ? [404, 'Not Found'] : [200, 'legacy'])
  })
})
