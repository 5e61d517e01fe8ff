/** The version of Express whose manners are meant. */
export type ExpressVersion = 4 | 5

/**
 * What `req.app` and `res.app` are where there is no Express: settings, locals and views, with Express's names and defaults.
 *
 * One for each profile; handlers without a profile share one with the defaults of Express 5.
 */
export class Application {
  readonly version: ExpressVersion
  readonly settings: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  readonly locals: Record<string, unknown> = Object.create(null) as Record<string, unknown>

  constructor(version: ExpressVersion) {
    this.version = version
  }

  /** The value of a setting. */
  get(name: string): unknown {
    return this.settings[name]
  }

  /** Sets a setting, or gives its value when called without one. */
  set(name: string, value: unknown): this {
    this.settings[name] = value
    return this
  }
}
