// The cookies that a server has set, by session. A server sets as many as it likes, and a recording has as many sessions.

const mostSessions = 10_000
const mostCookies = 100
/** Of all cookies of a session, as one header. Node allows 16 KiB of all headers. */
const mostLetters = 8 * 1024

export class CookieJars {
  readonly #jars = new Map<string, Map<string, string>>()

  /** `a=1; b=2`, or `''`. */
  headerOf(session: string): string {
    return [...(this.#jars.get(session) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Takes a line of Set-Cookie. What is too much is left out, the oldest first. */
  take(session: string, line: string): void {
    const [, name, value = ''] = /^\s*([^=;]+)=([^;]*)/.exec(line) ?? []
    if (name === undefined) return
    const jar = this.#jars.get(session) ?? new Map<string, string>()
    jar.delete(name)
    if (/;\s*(?:max-age=(?:0|-)|expires=[^;]*\b1970\b)/i.test(line)) return
    jar.set(name, value)
    this.#jars.delete(session)
    this.#jars.set(session, jar)
    let letters = 0
    for (const [kept, text] of jar) letters += kept.length + text.length + 3
    for (const [oldest, text] of jar) {
      if (jar.size <= mostCookies && letters <= mostLetters) break
      jar.delete(oldest)
      letters -= oldest.length + text.length + 3
    }
    for (const oldest of this.#jars.keys()) {
      if (this.#jars.size <= mostSessions) break
      this.#jars.delete(oldest)
    }
  }
}
