// The first step of action.yml: runs doctor, check and parity, and keeps what they have found for the steps behind it.
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { ENTRY, LOCK, BASE, OPTIONS, PARITY_OPTIONS, NAME } = process.env
const { GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, RUNNER_TEMP } = process.env
const folder = join(RUNNER_TEMP, NAME)
mkdirSync(folder, { recursive: true })

const linesOf = (text) =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** Runs a command of the project; its findings are annotations, and its reports files. Gives its exit code and its summary. */
function run(command, own) {
  const reports = ['markdown=md', 'sarif=sarif', 'html=html', 'json=json'].map((one) => {
    const [reporter, end] = one.split('=')
    return `--reporter=${reporter}=${join(folder, `${command}.${end}`)}`
  })
  const parameters = [command, ENTRY, ...own, '--reporter=text', '--reporter=github', ...reports]
  console.log(`::group::routecontrollers ${command}`)
  const ran = spawnSync('npx', ['--no-install', 'routecontrollers', ...parameters], {
    stdio: 'inherit',
    shell: false,
  })
  console.log('::endgroup::')
  const summary = join(folder, `${command}.md`)
  const failed = `### ⚠️ \`routecontrollers ${command}\` could not look at the app\n\nIts exit code is ${ran.status}; the log of the job says why.\n`
  return { code: ran.status, text: existsSync(summary) ? readFileSync(summary, 'utf8') : failed }
}

/** The base branch as this clone has it, which may be one of a single commit. */
function fetched(base) {
  const { status } = spawnSync('git', ['fetch', '--no-tags', '--depth=1', 'origin', `refs/heads/${base}`], {
    stdio: 'inherit',
  })
  if (status !== 0) console.log('::error title=parity::The base branch cannot be fetched.')
  return status === 0
}

const options = linesOf(OPTIONS)
const ran = [
  // What doctor finds stands in the way of a migration, and is no fault of a pull request.
  { ...run('doctor', options), fails: false },
  { ...run('check', ['--lock', LOCK, ...options]), fails: true },
]
if (BASE) {
  const compared = fetched(BASE)
    ? run('parity', ['--base=FETCH_HEAD', ...options, ...linesOf(PARITY_OPTIONS)])
    : { code: 3, text: '### ⚠️ `routecontrollers parity` has no base branch to compare with\n' }
  ran.push({ ...compared, fails: true })
}
const ok = ran.every(({ code, fails }) => code === 0 || !fails)
const summary = ran.map(({ text }) => text).join('\n')
writeFileSync(join(folder, 'summary.md'), summary)
appendFileSync(GITHUB_STEP_SUMMARY, summary)
appendFileSync(GITHUB_OUTPUT, `ok=${ok}\nfolder=${folder}\n`)
