// Fills in `repository`, `homepage` and `bugs` of package.json: node scripts/set-repository.js https://git.example/owner/name
import { readFileSync, writeFileSync } from 'node:fs'

const address = process.argv[2]?.replace(/(?:\.git|\/)$/, '')
if (!address || !URL.canParse(address) || new URL(address).protocol !== 'https:') {
  console.error('Give the address of the repository: https://git.example/owner/name')
  process.exit(1)
}

const manifest = {
  ...JSON.parse(readFileSync('package.json', 'utf8')),
  homepage: `${address}#readme`,
  bugs: { url: `${address}/issues` },
  repository: { type: 'git', url: `git+${address}.git` },
}
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
