import { run } from './environments.js'

interface Printed {
  /** What was answered in each way of serving. */
  rows: Record<string, readonly string[]>
  left: readonly unknown[]
}

const print = (folder: string, wrapper: string): Printed =>
  JSON.parse(
    run('node24/bin/node', [`${folder === '.' ? '.' : '..'}/wrapped.cjs`, wrapper], folder),
  ) as Printed

describe.each([
  ['5', '.'],
  ['4', 'express4'],
])('An app of Express %s that the packed package has taken over', (_version, folder) => {
  it('is served with the instrumentation of OpenTelemetry as Express serves it, http.route included', () => {
    const { rows, left } = print(folder, 'tracer')
    const { express, ...ours } = rows
    expect(express!.map((row) => row.replace(/ \(1 by .*\)$/, ''))).toEqual(
      print(folder, 'nobody').rows['express'],
    )
    expect(express).toContain('/admin/x 401 denied (1 by undefined)')
    expect(express!.find((row) => row.startsWith('/teams/a/7'))).toContain('(1 by /teams/:team/:id)')
    expect(ours).toEqual({ standalone: express, 'in front': express, inside: express })
    expect(left).toEqual([])
  })

  it('is served without any wrapper as Express serves it', () => {
    const { express, ...ours } = print(folder, 'nobody').rows
    expect(ours).toEqual({ standalone: express, 'in front': express, inside: express })
  })
})

it('An app of Express 4 is served with express-async-errors as Express serves it, and what cannot be read is named', () => {
  const { rows, left } = print('express4', 'async-errors')
  const { express, ...ours } = rows
  expect(express).toContain('/rejects 409 rejected')
  expect(express!.filter((row) => !row.startsWith('/rejects'))).toEqual(
    print('express4', 'nobody').rows['express'],
  )
  expect(ours).toEqual({ standalone: express, 'in front': express, inside: express })
  expect(left).toEqual([expect.objectContaining({ name: 'mounted_app', path: '/mounted' })])
})
