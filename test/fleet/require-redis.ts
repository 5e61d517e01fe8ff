import { spawnSync } from 'node:child_process'

/** Says what to install, once and before any test. */
export default function requireRedis(): void {
  if (spawnSync('redis-server', ['--version']).status !== 0)
    throw new Error('There is no redis-server: apt-get install redis-server, then npm run test:fleet')
}
