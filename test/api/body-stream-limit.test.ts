import { Controller, type ControllerOptions } from 'routecontrollers'
import { describeServings } from '../support/describe-servings.js'

describeServings('for await (const chunk of req)', ({ serve, errors }) => {
  const count = (options: ControllerOptions): Controller<'/count'> =>
    new Controller(
      'POST',
      '/count',
      async (req, res) => {
        let size = 0
        for await (const chunk of req) size += chunk.byteLength
        return res.json({ size })
      },
      options,
    )
  const send = async (options: ControllerOptions, bytes: number) => {
    const served = await serve([count(options)])
    const headers = { 'Content-Type': 'application/octet-stream' }
    return served.send('/count', { method: 'POST', headers, body: 'x'.repeat(bytes), chunked: true })
  }

  it('gives as many bytes as bodyLimit, and with the first one over it ends with 413', async () => {
    expect((await send({ bodyLimit: 10 }, 10)).json()).toEqual({ size: 10 })
    const over = await send({ bodyLimit: 10 }, 11)
    expect(over.status).toBe(413)
    if (errors === 'us') expect(over.text).toBe('The body has more than 10 bytes')
  })

  it("has no limit with body: 'stream'", async () => {
    const megabytes = 2 * 1024 * 1024
    const served = await serve([count({ body: 'stream' })], { bodyLimit: 10 })
    const answer = await served.send('/count', { method: 'POST', body: Buffer.alloc(megabytes) })
    expect(answer.json()).toEqual({ size: megabytes })
  })
})

describeServings('res.json', ({ serve, errors }) => {
  it('of a promise is a mistake, and the log says which', async () => {
    const { send, logged } = await serve([
      new Controller('GET', '/', (_req, res) => res.json(Promise.resolve({ a: 1 }))),
    ])
    expect((await send('/')).status).toBe(500)
    if (errors === 'us') expect(logged.join()).toContain('res.json was given a Promise: await it first')
  })
})
