import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Outcome } from '../hard/row.js'

it('Three hundred clients that go away leave nothing behind', async () => {
  // The row of `npm run test:hard` at a small scale, in a process of its own, whose resources are counted.
  const child = fork(join(__dirname, '../hard/row-process.ts'), ['aborts', '0.003', '1'], {
    execArgv: ['--import', 'tsx', '--expose-gc'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let outcome: Outcome | undefined
  child.on('message', (message: Outcome) => (outcome = message))
  const ended: unknown[] = await once(child, 'exit')
  expect([outcome, ended]).toEqual([
    {
      asked: expect.any(String),
      measured: '300 aborts: 150 of 150 sources cancelled once, 100 of 100 bodies told, held as before',
      verdict: 'ok',
      findings: [],
    },
    [0, null],
  ])
})
