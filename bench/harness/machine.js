import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, platform, release, totalmem } from 'node:os'

/** The first of our processors is for the load, the last for what is measured; nothing is pinned where that cannot be. */
const processors = listProcessors()
const canPin = processors.length > 1 && has('taskset')
export const loadProcessor = canPin ? processors[0] : undefined
export const measuredProcessor = canPin ? processors.at(-1) : undefined
export const hasWrk = has('wrk')

/** The command and its arguments, run on that processor only. */
export function pin(processor, command, args) {
  if (processor === undefined) return [command, args]
  return ['taskset', ['--cpu-list', String(processor), command, ...args]]
}

/** What the figures depend on, to stand beside them. */
export function describeMachine() {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return {
    machine: `${cpus()[0]?.model.trim() ?? 'unknown'}, ${cpus().length} processors, ${memory}, ${platform()} ${release()}`,
    pinned: canPin ? 'the server to one processor, the load to another' : 'nothing',
    load: hasWrk ? 'wrk, 1 thread' : 'autocannon',
  }
}

/** The processors that this process may use, "0-3,6" in /proc; a container has fewer than the machine. */
function listProcessors() {
  if (platform() !== 'linux') return []
  const [, list] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [
    '',
    '',
  ]
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}

function has(command) {
  try {
    execFileSync('which', [command], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
