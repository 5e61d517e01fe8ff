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
import { checkPage } from './check-page.js'
import { doctorText } from './doctor-text.js'
import { githubText } from './github.js'
import { inventoryPage } from './inventory-page.js'
import { markdownText } from './markdown.js'
import { parityPage } from './parity-page.js'
import { parityText } from './parity-text.js'
import { proveText } from './prove-text.js'
import { type Review, type Reviewed, reviews } from './review.js'
import { reviewPage } from './review-page.js'
import { sarifText } from './sarif.js'
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
  /** The command that has made the document. */
  readonly command: string
  /** What the document is of: the entry. */
  readonly name: string
  /** The folder of the project in its repository; `''` for the top. */
  readonly folder: string
  /** The version of this package. */
  readonly version: string
}

/** What writes each document; undefined where a document has no such format. */
export type Reporter = {
  readonly [D in keyof Documents]: ((document: Documents[D], options: ReportOptions) => string) | undefined
}

export type ReporterName = 'text' | 'json' | 'html' | 'markdown' | 'github' | 'sarif'

const toJson = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`

/** A format of all documents that have findings. */
function ofReviews(write: (review: Review, options: ReportOptions) => string): Reporter {
  const of =
    <D extends keyof Reviewed>(name: D) =>
    (document: Reviewed[D], options: ReportOptions): string =>
      write(reviews[name](document), options)
  return {
    inspect: undefined,
    check: of('check'),
    doctor: of('doctor'),
    parity: of('parity'),
    status: undefined,
    brief: undefined,
    prove: of('prove'),
  }
}

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
    ...ofReviews(reviewPage),
    inspect: (inventory, { name }) => inventoryPage(inventory, name),
    check: (report, { name }) => checkPage(report, name),
    parity: (report, { name }) => parityPage(report, name),
  },
  markdown: ofReviews(markdownText),
  github: ofReviews(githubText),
  sarif: ofReviews(sarifText),
}

export const reporterNames = Object.keys(reporters) as ReporterName[]
