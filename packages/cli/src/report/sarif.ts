// Findings as SARIF 2.1.0, which code scanning, editors and other tools read.
import { createHash } from 'node:crypto'
import { printable } from '../../../../src/ground/printable.js'
import { filePlace } from './places.js'
import type { Remark, Review } from './review.js'

interface SarifOptions {
  readonly command: string
  /** The entry: what has no place of its own is shown there. */
  readonly name: string
  /** The folder of the project in its repository. */
  readonly folder: string
  readonly version: string
}

/** One run with a result for each finding, and a rule for each code among them. */
export function sarifText(read: Review, { command, name, folder, version }: SarifOptions): string {
  const { remarks, notes, isWhole } = printable(read)
  const codes = new Map(remarks.map((one) => [one.code, one]))
  const ids = [...codes.keys()]
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'routecontrollers',
            version,
            rules: [...codes].map(([code, { title, severity }]) => ({
              id: `${command}/${code}`,
              shortDescription: { text: `${title}.` },
              defaultConfiguration: { level: severity },
            })),
          },
        },
        automationDetails: { id: `routecontrollers/${command}/` },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: isWhole,
            toolExecutionNotifications: notes.map((text) => ({ level: 'note', message: { text } })),
          },
        ],
        results: remarks.map((one) => result(one, ids.indexOf(one.code))),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`

  function result({ code, severity, text, remedy, route, at, key }: Remark, ruleIndex: number): object {
    const place = filePlace(at, folder) ?? filePlace(name, folder)
    const said = route === undefined ? text : `${route}: ${text}`
    return {
      ...{ ruleId: `${command}/${code}`, ruleIndex, level: severity },
      message: { text: remedy === undefined ? said : `${said}\n${remedy}` },
      locations: [
        {
          ...(place !== undefined && {
            physicalLocation: {
              artifactLocation: {
                uri: place.file.split('/').map(encodeURIComponent).join('/'),
                uriBaseId: '%SRCROOT%',
              },
              region: { startLine: place.line ?? 1 },
            },
          }),
          ...(route !== undefined && {
            logicalLocations: [{ fullyQualifiedName: route, kind: 'resource' }],
          }),
        },
      ],
      partialFingerprints: {
        'routecontrollers/v1': createHash('sha256')
          .update(JSON.stringify([code, route, key]))
          .digest('hex'),
      },
    }
  }
}
