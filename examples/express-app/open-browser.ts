import { spawn } from 'node:child_process'

const commands: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens a page for the person who has typed the command. In CI, and where the output goes to a file, nothing opens. */
export function openBrowser(url: string): void {
  const [command, ...parameters] = commands[process.platform] ?? []
  const isPersonHere = process.stdout.isTTY && process.env.CI === undefined
  if (command === undefined || !isPersonHere) return
  // Where there is no such command the link that was printed does.
  spawn(command, [...parameters, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
