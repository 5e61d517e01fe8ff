/** Gives a socket in memory the methods and members that middleware uses. */
export function asNetSocket(socket: object, encrypted: boolean, remoteAddress?: string): void {
  const itself = (): object => socket
  Object.assign(socket, {
    encrypted,
    remoteAddress,
    setTimeout: itself,
    setNoDelay: itself,
    setKeepAlive: itself,
    ref: itself,
    unref: itself,
  })
}
