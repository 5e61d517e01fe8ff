import { join } from 'node:path'
import { type ErrorCode, errorStatuses, errorTexts } from '../../src/ground/error-codes.js'
import { RouteControllersError } from '../../src/ground/errors.js'
import { readMarked, toTable } from '../support/doc-table.js'

const codes = Object.keys(errorTexts) as ErrorCode[]

describe('the table of error codes', () => {
  it('stands in docs/behaviour.md', () => {
    const rows = codes.map((code) => {
      return [`\`${code}\``, errorStatuses[code]?.toString() ?? '', errorTexts[code]]
    })
    const table = toTable([['code', 'status', 'what it says'], ...rows])
    expect(readMarked(join(__dirname, '../../docs/behaviour.md'), 'error-codes', table)).toBe(table)
  })

  it.each(codes)('gives an error of %s its status', (code) => {
    const status = errorStatuses[code]
    const error = new RouteControllersError(code, 'It is so.')
    expect(error).toMatchObject({ code, expose: status !== undefined && status < 500 })
    expect([error.status, error.statusCode]).toEqual([status, status])
    // A member without a value would be printed with each error.
    expect('status' in error).toBe(status !== undefined)
  })

  it('lets an error have another status than that of its code', () => {
    const error = new RouteControllersError('ERR_INPUT_REFUSED', 'It does not fit.', { status: 400 })
    expect([errorStatuses.ERR_INPUT_REFUSED, error.status]).toEqual([422, 400])
  })
})
