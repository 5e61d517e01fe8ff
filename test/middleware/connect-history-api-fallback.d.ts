// Comes without types of its own.
declare module 'connect-history-api-fallback' {
  import type { Hook } from 'routecontrollers'

  export default function history(options?: { rewrites?: { from: RegExp; to: string }[] }): Hook
}
