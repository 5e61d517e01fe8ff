// Runs before each file of tests. The channels by which copies of this package ask each other belong to the process: what the next file
// asks would be answered by the modules of this one, whose coverage nobody reads any more.
import { channel } from 'node:diagnostics_channel'

const channels = ['routecontrollers.app-routes', 'routecontrollers.native'].map((name) => channel(name))

afterAll(() => {
  for (const one of channels) {
    const { _subscribers: subscribers = [] } = one as unknown as { _subscribers?: (() => void)[] }
    for (const subscriber of [...subscribers]) one.unsubscribe(subscriber)
  }
})
