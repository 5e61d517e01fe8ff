import { RouteControllersError } from '../ground/errors.js'
import {
  checkOptions,
  isOptions,
  nameType,
  type OptionChecks,
  shown,
  wrongOption,
} from '../ground/options.js'
import { isSchema } from './schema.js'
import type { StandardSchema } from '../ground/standard-schema.js'

/** Security requirements of OpenAPI, of which one has to be met: `[{ bearer: [] }]`. */
export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[]

/** What an OpenAPI document says about the routes behind a guard. It changes no behaviour. */
export interface GuardNotes {
  /** What a request needs to pass: `[{ bearer: [] }]`. A route with `security` of its own says all of it itself. */
  security?: SecurityRequirements
  /**
   * What the guard answers, by status. It is a schema of the JSON that it sends, or a text that says when it answers so, for an
   * answer without JSON: `{ 401: 'Nobody is signed in' }`. Answers are not checked against it.
   */
  answers?: Readonly<Record<number, StandardSchema | string>>
}

const checks: OptionChecks<GuardNotes> = {
  security: checkSecurity,
  answers(option, value) {
    if (!isOptions(value)) throw wrongOption(option, 'an object of answers by status', nameType(value))
    for (const [status, answer] of Object.entries(value)) {
      if (!/^[2-5]\d\d$/.test(status)) {
        const message = `${option} has answers by status, 200 to 599, not ${JSON.stringify(status)}`
        throw new RouteControllersError('ERR_OPTION_INVALID', message)
      }
      if (isSchema(answer) || (typeof answer === 'string' && answer !== '')) continue
      throw wrongOption(`${option}.${status}`, 'a schema, or a text that says when it is sent', shown(answer))
    }
  },
}

/** Throws ERR_OPTION_INVALID for notes that are none. */
export function checkGuardNotes(owner: string, notes: GuardNotes): void {
  checkOptions(owner, notes, checks, `${owner}: `)
}

/** Throws ERR_OPTION_INVALID for anything but a list of security requirements. */
export function checkSecurity(option: string, value: unknown): void {
  if (!Array.isArray(value) || !value.every(isOptions)) {
    throw wrongOption(option, "a list of OpenAPI's security requirements: [{ bearer: [] }]", nameType(value))
  }
}
