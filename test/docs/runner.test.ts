// What runs the programs of the documentation: a program that fails must be found, whatever the ones before it did.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Runner } from './runner/run.js'

const folder = mkdtempSync(join(tmpdir(), 'runner-'))
const runner = new Runner()
afterAll(() => {
  runner.stop()
  rmSync(folder, { recursive: true })
})

const run = async (name: string, text: string): Promise<void> => {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, text)
  await runner.run({ file } as never)
}

it('finds a program that fails behind one that sends messages of its own', async () => {
  await run('sends', "process.send?.('ready'); process.send?.('done')")
  await run('passes', '')
  await expect(run('fails', "throw new Error('this one')")).rejects.toThrow('this one')
  await run('passes-again', '')
})
