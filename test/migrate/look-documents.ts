import type { PreloadOptions, Report } from '../../packages/cli/src/documents/child.js'

/** What the process of look-server.ts is asked. */
export interface LookRequest {
  readonly entry: string
  readonly parameters: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly settings: PreloadOptions
}

export interface LookAnswer {
  /** Undefined where the entry needs a process of its own. */
  readonly report: Report | undefined
  /** What the entry has written. */
  readonly written: string
}

/** True for an entry that does nothing more. After another one, the process ends. */
export function endsItself({ report }: LookAnswer): boolean {
  return report?.ended.by === 'exit' && report.ended.code === 0
}
