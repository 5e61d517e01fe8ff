import {
  checkBoolean,
  checkedByReader,
  checkFunction,
  checkLogger,
  checkOptions,
  count,
  oneOf,
  type OptionChecks,
} from '../src/ground/options.js'
import { refusal } from './support/refusal.js'

interface Options {
  bytes?: number
  mode?: 'a' | 'b'
  strict?: boolean
  onEnd?: () => void
  logger?: Console
  rest?: unknown
}

const checks: OptionChecks<Options> = {
  bytes: count('bytes', 1, 10),
  mode: oneOf('a', 'b'),
  strict: checkBoolean,
  onEnd: checkFunction,
  logger: checkLogger,
  rest: checkedByReader,
}
const check = (options: unknown, prefix?: string) => checkOptions('make', options as Options, checks, prefix)

describe('checkOptions', () => {
  it('gives what has been given, and nothing that is undefined', () => {
    const onEnd = (): void => {}
    const given = { bytes: 3, mode: 'b', strict: false, onEnd, logger: console, rest: 'anything' }
    expect(check(given)).toEqual(given)
    expect(Object.keys(check({ bytes: undefined, rest: null }))).toEqual(['rest'])
  })

  it.each<[string, unknown, string[]]>([
    [
      'a name that is not in the table',
      { byte: 1 },
      ['make has no option "byte"; it has bytes, mode, strict', 'Did you mean bytes?'],
    ],
    ['a name that each object inherits', { toString: 1 }, ['make has no option "toString"']],
    [
      'what is no object of options',
      [],
      ['make takes an object of options, not an array; it has bytes, mode, strict'],
    ],
    ['a count out of its range', { bytes: 11 }, ['bytes is bytes: a whole number from 1 to 10, not 11']],
    ['a word that is none of those', { mode: 'c' }, [`mode is 'a' or 'b', not "c"`]],
    ['what is no boolean', { strict: 'yes' }, ['strict is true or false, not "yes"']],
    ['what is no function', { onEnd: null }, ['onEnd is a function, not null']],
    ['what is no logger', { logger: { info() {} } }, ['logger.warn is a function, not undefined']],
    ['a value that the options inherit', Object.create({ bytes: 'ten' }), ['bytes is bytes', 'not "ten"']],
  ])('refuses %s', (_what, options, parts) => {
    expect(() => check(options)).toThrow(refusal('ERR_OPTION_INVALID', ...parts))
  })

  it('puts a prefix before names in messages', () => {
    expect(() => check({ mode: 1 }, 'limits.')).toThrow(
      refusal('ERR_OPTION_INVALID', "limits.mode is 'a' or 'b'"),
    )
  })
})
