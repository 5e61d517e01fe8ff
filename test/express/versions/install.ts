import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestedExpress } from './tested.js'

/** Installs each version of Express into a folder of its own. Jest calls this once for all projects. */
export default function install(_global: unknown, { globals }: { globals: object }): void {
  const { all } = (globals as { testedExpress: TestedExpress }).testedExpress
  for (const { express, router, directory } of all) {
    const manifest = {
      private: true,
      dependencies: { express },
      ...(router !== undefined && { overrides: { router } }),
    }
    mkdirSync(directory)
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest))
    execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
}
