import { type RunningExample, useExample } from './start-example.js'

describe('examples/migration', () => {
  const main = useExample('migration/main.ts')
  let example: RunningExample | undefined
  let shop: string
  let operations: string

  beforeAll(async () => {
    const listening = /The shop is on (\S+), the page of its migration on (\S+)\/\n/
    example = await main.start(listening, { PORT: '0', FAULT: 'price' })
    const [, first, second] = listening.exec(example.output)!
    shop = first!
    operations = second!
  })

  afterAll(() => example?.stop())

  /** As the page does it in a browser. */
  const set = async (route: string, state: string): Promise<Response> => {
    const session = await fetch(`${operations}/session`)
    const { token } = (await session.json()) as { token: string }
    return fetch(`${operations}/state`, {
      method: 'POST',
      headers: {
        origin: operations,
        'content-type': 'application/json',
        cookie: session.headers.getSetCookie()[0]!.split(';')[0]!,
        'x-csrf-token': token,
      },
      body: JSON.stringify({ route, state, reason: 'a test' }),
    })
  }

  const priceOf = async (): Promise<unknown> =>
    ((await (await fetch(`${shop}/products/1`)).json()) as { price?: number }).price

  it('finds the planted difference in shadow, and is switched by its JSON', async () => {
    expect(await priceOf()).toBe(24)
    expect(await (await set('GET /products/:id', 'shadow')).json()).toMatchObject({ isStored: true })
    let found: unknown
    for (let round = 0; round < 200 && found === undefined; round++) {
      expect(await priceOf()).toBe(24)
      await new Promise((resolve) => setTimeout(resolve, 10))
      const status = (await (await fetch(`${operations}/status.json`)).json()) as {
        routes: { route: string; differences: { name: string }[] }[]
      }
      found = status.routes.find(({ route }) => route === 'GET /products/:id')!.differences[0]
    }
    expect(found).toMatchObject({ what: 'body', name: '$.price', legacy: '24' })
    await set('*', 'native')
    expect(await priceOf()).toBeUndefined()
    await set('*', 'legacy')
    expect(await priceOf()).toBe(24)
    expect(await (await fetch(`${operations}/metrics`)).text()).toContain('routecontrollers_migration_state')
  })

  it('refuses what is no state, and what no page of another site may send', async () => {
    expect((await set('GET /products/:id', 'half')).status).toBe(400)
    const form = await fetch(`${operations}/state`, { method: 'POST', body: '{}' })
    expect(form.status).toBe(403)
  })
})
