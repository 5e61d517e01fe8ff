interface Installed {
  major: 4 | 5
  express: string
  router?: string
  /** Where it is installed. */
  directory: string
}

/** The one version that tests are run against, by test/express/versions/jest.config.js. */
export interface TestedExpress extends Installed {
  /** How many random apps are compared. */
  apps: number
  all: readonly Installed[]
}

/** Undefined where tests run against what is installed for development. */
export const testedExpress = (globalThis as { testedExpress?: TestedExpress }).testedExpress
