// Makes packages/switch/src/page/page-assets.ts: what a browser gets for the page of a migration, as texts. Run it when something in
// packages/switch/src/page/browser has changed. With `--check` it writes nothing, and fails where that was forgotten.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync, transformSync } from 'esbuild'

const folder = join(import.meta.dirname, '../packages/switch/src/page')
const file = join(folder, 'page-assets.ts')

function pageAssets() {
  const read = (name) => readFileSync(join(folder, 'browser', name), 'utf8')
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, 'browser/main.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'inline',
  })
  const script = outputFiles[0].text.trim()
  const style = transformSync(read('page.css'), { loader: 'css', minify: true, target: 'es2022' }).code.trim()
  const html = read('page.html').replace(/\n\s*/g, '\n')
  // Where the text of a script or a style would end its element.
  if (/<\/(?:script|style)|<!--/i.test(script + style)) throw new Error('the page would be cut off')
  return `// Made by scripts/build-page.js of the files in browser/; a change is made there.
export const pageHtml: string = ${quoted(html)}
export const pageStyle: string = ${quoted(style)}
export const pageScript: string = ${quoted(script)}
`
}

function quoted(text) {
  return `\`${text.replace(/[\\\`]|\$\{/g, '\\$&')}\``
}

if (!process.argv.includes('--check')) writeFileSync(file, pageAssets())
else if (readFileSync(file, 'utf8') !== pageAssets()) {
  console.error('page-assets.ts is not made of the files in browser/ any more: node scripts/build-page.js')
  process.exitCode = 1
}
