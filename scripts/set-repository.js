// Fills in what a publisher knows: `repository`, `homepage` and `bugs` of each package.json. Of `repository` scripts/pack-readme.js makes the links
// of the packed README.md: node scripts/set-repository.js https://git.example/owner/name
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

const address = process.argv[2]?.replace(/(?:\.git|\/)$/, '')
if (!address || !URL.canParse(address) || new URL(address).protocol !== 'https:') {
  console.error('Give the address of the repository: https://git.example/owner/name')
  process.exit(1)
}

const packages = existsSync('packages') ? readdirSync('packages').map((name) => `packages/${name}`) : []
for (const directory of [undefined, ...packages]) {
  const file = directory === undefined ? 'package.json' : `${directory}/package.json`
  const manifest = {
    ...JSON.parse(readFileSync(file, 'utf8')),
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
    repository: { type: 'git', url: `git+${address}.git`, ...(directory && { directory }) },
  }
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
}
