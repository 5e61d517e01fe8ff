import { AsyncLocalStorage } from 'node:async_hooks'
import { callInChain, type InContext } from '../../src/run/async-context.js'

const store = new AsyncLocalStorage<string>()
const chain = {}

/** What is in the store where `inContext`, kept from a call within `'request'`, runs something. */
function seenBy(run: (inContext: InContext, see: () => void) => void): string | undefined {
  let seen: string | undefined
  const see = (): void => void (seen = store.getStore())
  store.run('request', () => callInChain(chain, (inContext) => run(inContext, see)))
  return seen
}

it('A call from elsewhere, as from the events of a socket, gets the context back', () => {
  expect(seenBy((inContext, see) => store.exit(() => inContext(see)))).toBe(undefined)
  let kept: InContext
  seenBy((inContext) => (kept = inContext))
  let seen: string | undefined
  kept!(() => (seen = store.getStore()))
  expect(seen).toBe('request')
})

it('A call from within the chain keeps what a hook has entered', () => {
  expect(seenBy((inContext, see) => store.run('entered', () => inContext(see)))).toBe('entered')
})

it('Where there is no node:async_hooks nothing is lost, because nothing is there', () => {
  const taken = jest.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
  jest.isolateModules(() => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { callInChain: call } = require('../../src/run/async-context.js') as {
      callInChain: typeof callInChain
    }
    const ran: string[] = []
    call(chain, (inContext) => inContext(() => void ran.push('at once')))
    expect(ran).toEqual(['at once'])
  })
  taken.mockRestore()
})
