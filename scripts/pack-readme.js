// README.md as a registry shows it. There no file of the repository stands beside it, so a relative link leads nowhere: it becomes the address of
// the file where package.json has a `repository` (scripts/set-repository.js), else only its text stays.
//   node scripts/pack-readme.js [folder]             `prepack`, as its last step: writes that README.md for the tarball
//   node scripts/pack-readme.js --restore [folder]   `postpack`: README.md is again as it was
//   node scripts/pack-readme.js --required [folder]  `prepublishOnly`: refuses a package without the address
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { restore: { type: 'boolean' }, required: { type: 'boolean' } },
})
const folder = resolve(positionals[0] ?? '.')
const readme = join(folder, 'README.md')
const { name, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const kept = join(folder, 'node_modules/.cache/pack-readme.json')

/** The address that relative links of README.md begin with, for pages and for pictures. */
function addressesOf({ url, directory }) {
  const address = url.replace(/^git\+|\.git$/g, '')
  const below = directory === undefined ? '' : `${directory}/`
  return { page: `${address}/blob/HEAD/${below}`, picture: `${address}/raw/HEAD/${below}` }
}

/** A page whose relative links are absolute, or without an address their texts. Code stays as it is. */
function withLinks(page, addresses) {
  return page.replace(
    /^(`{3,})[^]*?^\1|(`+)[^]*?\2|(!?)\[((?:[^[\]]|!?\[[^\]]*\]\([^)]*\))*)\]\((?![a-z]+:|#)([^)]+)\)/gm,
    (all, fence, code, mark, text, path) => {
      if (fence ?? code) return all
      const shown = mark === '' ? withLinks(text, addresses) : text
      if (addresses === undefined) return shown
      return `${mark}[${shown}](${new URL(path, mark === '' ? addresses.page : addresses.picture).href})`
    },
  )
}

/** Takes back what `prepack` has written. A README.md that was edited since then stays as it is. */
function restore() {
  if (!existsSync(kept)) return
  const { before, packed } = JSON.parse(readFileSync(kept, 'utf8'))
  if (readFileSync(readme, 'utf8') === packed) replace(readme, before)
  rmSync(kept)
}

/** A program that is ended meanwhile leaves no half of a file. */
function replace(file, text) {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

if (values.required) {
  if (repository === undefined) {
    console.error(
      `${name} does not say where its repository is: node scripts/set-repository.js https://git.example/owner/name`,
    )
    process.exitCode = 1
  }
} else {
  // npm runs no postpack when packing has failed: the next pack begins with that.
  restore()
  if (!values.restore) {
    const before = readFileSync(readme, 'utf8')
    const packed = withLinks(before, repository && addressesOf(repository))
    mkdirSync(dirname(kept), { recursive: true })
    replace(kept, JSON.stringify({ before, packed }))
    replace(readme, packed)
  }
}
