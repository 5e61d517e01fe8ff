// What is used of it; it brings no types.
declare module 'autocannon' {
  interface Result {
    '2xx': number
    non2xx: number
  }
  interface Running extends Promise<Result> {
    stop(): void
  }
  export default function autocannon(options: { url: string; connections: number; duration: number }): Running
}
