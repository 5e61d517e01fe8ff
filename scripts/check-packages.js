// Packs each package and checks what it has: its manifest, by publint, and that its types are found where its code is, by
// arethetypeswrong. `npm run check:package`.
import { execFileSync } from 'node:child_process'

// The entries for tools are for programs of these packages alone, which need no resolution of the time before `exports`.
const packages = {
  '.': ['--exclude-entrypoints', 'express-model', 'introspection'],
  'packages/cli': [],
  'packages/switch': [],
}
for (const [folder, parameters] of Object.entries(packages)) {
  for (const [command, ...rest] of [
    ['publint', '--strict', folder],
    ['attw', '--pack', folder, ...parameters],
  ]) {
    console.log(`\n${folder}: ${command}`)
    execFileSync('npx', ['--no-install', command, ...rest], { stdio: 'inherit' })
  }
}
