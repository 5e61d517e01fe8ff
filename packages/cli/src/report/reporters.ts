// How the documents of all commands are written: one entry for each format.
import type { CheckReport } from '../documents/check.js'
import type { DoctorReport } from '../documents/doctor.js'
import type { Inventory } from '../documents/inventory.js'
import type { ParityReport } from '../documents/parity.js'
import type { BriefReport } from '../documents/brief.js'
import type { ProveReport } from '../documents/prove.js'
import type { StatusReport } from '../documents/status.js'
import type { TextOptions } from '../terminal/text.js'
import { briefText } from './brief-text.js'
import { doctorText } from './doctor-text.js'
import { inventoryPage } from './html.js'
import { parityPage, parityText } from './parity-text.js'
import { proveText } from './prove-text.js'
import { statusText } from './status-text.js'
import { checkText, inventoryText } from './text.js'

/** The documents that commands give. */
export interface Documents {
  readonly inspect: Inventory
  readonly check: CheckReport
  readonly doctor: DoctorReport
  readonly parity: ParityReport
  readonly status: StatusReport
  readonly brief: BriefReport
  readonly prove: ProveReport
}

interface ReportOptions extends TextOptions {
  /** What the document is of: the entry. */
  readonly name: string
}

/** What writes each document; undefined where a document has no such format. */
export type Reporter = {
  readonly [D in keyof Documents]: ((document: Documents[D], options: ReportOptions) => string) | undefined
}

export type ReporterName = 'text' | 'json' | 'html'

const toJson = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`

export const reporters: Readonly<Record<ReporterName, Reporter>> = {
  text: {
    inspect: inventoryText,
    check: checkText,
    doctor: doctorText,
    parity: parityText,
    status: statusText,
    brief: briefText,
    prove: proveText,
  },
  json: {
    inspect: toJson,
    check: toJson,
    doctor: toJson,
    parity: toJson,
    status: toJson,
    brief: toJson,
    prove: toJson,
  },
  html: {
    inspect: (inventory, { name }) => inventoryPage(inventory, name),
    check: undefined,
    doctor: undefined,
    status: undefined,
    brief: undefined,
    prove: undefined,
    parity: (report, { name }) => parityPage(report, name),
  },
}
