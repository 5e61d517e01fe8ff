// Prints the software bill of materials of what users install, in CycloneDX: `npm run --silent sbom > sbom.cdx.json`.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

// In a project that has no development dependencies: `npm sbom --omit dev` leaves out what is asked for by both kinds.
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'))
// The three packages together, as one who uses all of them installs them.
for (const name of manifest.workspaces) {
  if (name === '.') continue
  for (const folder of readdirSync(dirname(name))) {
    const { dependencies = {} } = JSON.parse(
      readFileSync(join(dirname(name), folder, 'package.json'), 'utf8'),
    )
    const { [manifest.name]: _own, ...others } = dependencies
    Object.assign(manifest.dependencies, others)
  }
}
for (const one of [manifest, lockfile.packages['']]) {
  delete one.devDependencies
  delete one.workspaces
}
lockfile.packages[''].dependencies = manifest.dependencies
for (const [path, { dev, link }] of Object.entries(lockfile.packages)) {
  if (dev || link || path.startsWith('packages/')) delete lockfile.packages[path]
}

const parent = mkdtempSync(join(tmpdir(), 'sbom-'))
try {
  // Npm takes the name of the folder for that of the component.
  const folder = join(parent, manifest.name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockfile))
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
} finally {
  rmSync(parent, { recursive: true })
}
