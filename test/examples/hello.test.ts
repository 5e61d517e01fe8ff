import { type RunningExample, useExample } from './start-example.js'

describe('examples/hello', () => {
  const example = useExample('hello/main.ts')
  let hello: RunningExample
  let url: string

  beforeAll(async () => {
    const listening = /Listening on (\S+)\n/
    hello = await example.start(listening)
    url = listening.exec(hello.output)![1]!
  })

  afterAll(() => hello.stop())

  it('says hello', async () => {
    const answer = await fetch(`${url}/hello`)
    expect([answer.status, await answer.json()]).toEqual([200, { message: 'Hello' }])
  })

  it('reads the user id from the path', async () => {
    const answer = await fetch(`${url}/users/J%C3%BCrgen`)
    expect([answer.status, await answer.json()]).toEqual([200, { userId: 'Jürgen' }])
  })

  it.each(['GET', 'POST', 'DELETE'])('answers %s of anything else in plain text', async (method) => {
    const answer = await fetch(`${url}/somewhere/else`, { method })
    expect([answer.status, await answer.text()]).toEqual([404, 'Try GET /hello'])
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })
})
