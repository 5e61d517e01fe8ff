// Makes packages/switch/src/page/page-assets.ts: what a browser gets for the page of a migration, as texts. Run it when something in
// packages/switch/src/page/browser has changed. With `--check` it writes nothing, and fails where that was forgotten.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync, transformSync } from 'esbuild'

const folder = join(import.meta.dirname, '../packages/switch/src/page')
const file = join(folder, 'page-assets.ts')

/** The table of states, which the page shows by label and colour. */
async function readStates() {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, '../states/kinds.ts')],
    write: false,
    format: 'esm',
  })
  const { stateKinds } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
  return Object.entries(stateKinds)
}

const share =
  '<input id="percent" type="number" min="0" max="100" step="0.01" value="5" aria-label="Per cent of the clients" /> % '

function htmlOf(states) {
  const options = states.map(([kind, { label }]) => `<option value="${kind}">${label}</option>`)
  const choices = states.map(
    ([kind, { label, note, answers }]) =>
      `<label><input type="radio" name="state" value="${kind}" required /> ${label} ${answers === 'share' ? share : ''}<small>${note}</small></label>`,
  )
  return { options: options.join('\n'), choices: choices.join('\n') }
}

function styleOf(states) {
  const inks = (mode) => `:root{${states.map(([kind, { colour }]) => `--${kind}:${colour[mode]};`).join('')}}`
  const classes = states.map(
    ([kind]) => `.fill-${kind}{background:var(--${kind})}.is-${kind}{color:var(--${kind})}`,
  )
  return `${inks('light')}@media (prefers-color-scheme:dark){${inks('dark')}}${classes.join('')}`
}

async function pageAssets() {
  const states = await readStates()
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
  const style = transformSync(read('page.css') + styleOf(states), {
    loader: 'css',
    minify: true,
    target: 'es2022',
  }).code.trim()
  const ofStates = htmlOf(states)
  const html = read('page.html')
    .replace(/\n\s*/g, '\n')
    .replace(/<!-- states: (\w+) -->/g, (_, what) => ofStates[what])
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

if (!process.argv.includes('--check')) writeFileSync(file, await pageAssets())
else if (readFileSync(file, 'utf8') !== (await pageAssets())) {
  console.error('page-assets.ts is not made of the files in browser/ any more: node scripts/build-page.js')
  process.exitCode = 1
}
