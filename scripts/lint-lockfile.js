// Fails for anything in package-lock.json that `npm ci` could not check, or would fetch from elsewhere than the registry: an
// entry without a strong hash, another host, a git, http or file dependency, a link to anything but a package of this repository. `node scripts/lint-lockfile.js [FILE]`.
import { existsSync, readFileSync } from 'node:fs'

const registry = 'registry.npmjs.org'
const [file = 'package-lock.json'] = process.argv.slice(2)
const { lockfileVersion, packages = {} } = JSON.parse(readFileSync(file, 'utf8'))

/** What a version range may be: one of the registry, under its own name or, by `npm:`, under another. */
const ranges = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?[\w.^~*<>=| -]*$/

const wrong = []
if (lockfileVersion !== 3) wrong.push(`lockfileVersion is ${lockfileVersion}, not 3`)

for (const [path, entry] of Object.entries(packages)) {
  const report = (what) => wrong.push(`${path || 'the project'}: ${what}`)
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    for (const [name, range] of Object.entries(entry[kind] ?? {})) {
      if (!ranges.test(range)) report(`${name}@${range} does not come from the registry`)
    }
  }
  if (path === '') continue
  // The packages of this repository, which npm links to their folders.
  const folder = `${entry.resolved ?? ''}/package.json`.replace(/^\//, '')
  if (entry.link) {
    const own = existsSync(folder) ? JSON.parse(readFileSync(folder, 'utf8')).name : undefined
    if (!isWorkspace(entry.resolved) || path !== `node_modules/${own}`) report('is a link to a folder')
    continue
  }
  if (isWorkspace(path)) continue
  // Npm leaves the address out where it is told to, and then takes the registry that it is set to.
  if (entry.resolved !== undefined && !isOfRegistry(entry.resolved))
    report(`is resolved to ${entry.resolved}`)
  if (entry.inBundle) continue
  if (!/^sha512-[\w+/]{86}==$/.test(entry.integrity ?? ''))
    report(`has the integrity ${entry.integrity}, not a sha512`)
}

/** True for the folder of a package of this repository; the root is one. */
function isWorkspace(folder) {
  return folder === '' || /^packages\/[\w-]+$/.test(folder ?? '')
}

function isOfRegistry(address) {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.protocol === 'https:' && url.host === registry && url.username === ''
}

if (Object.keys(packages).length < 2) wrong.push('there are no packages')
for (const line of wrong) console.error(`${file}: ${line}`)
if (wrong.length > 0) process.exit(1)
console.log(`${file}: ${Object.keys(packages).length - 1} packages, each of ${registry} and with its hash`)
