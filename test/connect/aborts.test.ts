import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(__dirname, '../..')

it('Three hundred clients that go away leave nothing behind', async () => {
  // In a process of its own, whose resources are counted. It exits with 1, and `execFile` rejects, for anything left.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', join(root, 'test/hard/aborts.ts'), '300'],
    { cwd: root },
  )
  expect(stdout).toMatch(
    /^300 aborts of 6 kinds, .* 0 unhandled rejections, 0 uncaught, 150 of 150 sources cancelled once/,
  )
}, 60_000)
