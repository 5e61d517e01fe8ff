// What is used of it; it brings no types.
declare module 'autocannon' {
  interface Result {
    '2xx': number
  }
  interface Running extends Promise<Result> {
    stop(): void
    on(event: 'response', hear: (client: object, status: number) => void): this
  }
  export default function autocannon(options: { url: string; connections: number; duration: number }): Running
}
