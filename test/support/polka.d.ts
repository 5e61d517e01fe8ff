// polka 0.5 comes without types; what the tests call of it.
declare module 'polka' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
  import type { ConnectHandler } from 'routecontrollers'

  interface Polka {
    use(...handlers: (string | ConnectHandler)[]): Polka
    get(path: string, handler: (req: IncomingMessage, res: ServerResponse) => void): Polka
    handler: RequestListener
  }
  export default function polka(): Polka
}
