import { toTable } from '../support/doc-table.js'
import { promises, titleOf } from './promises.js'
import { reasons, reasonsFor } from './reasons.js'
import { promisedTo, type Results } from './results.js'
import { type Runtime, runtimes } from './runtimes.js'

/** Columns of the tables: a code, and the runtimes that it stands for. */
const columns: readonly (readonly [code: string, names: RegExp])[] = [
  ['N1', /^Node \d+: Server$/],
  ['N2', /^Node \d+: http/],
  ['N3', /^Node \d+: getCallback$/],
  ['H', /@hono/],
  ['B1', /^Bun: Server$/],
  ['B2', /^Bun: Server, node:http/],
  ['B3', /^Bun: Bun/],
  ['D1', /^Deno: Server$/],
  ['D2', /^Deno: Server, node:http/],
  ['D3', /^Deno: Deno/],
  ['W1', /^workerd$/],
  ['W2', /^workerd, nodejs_compat/],
  ['W3', /^workerd, node:http/],
  ['L1', /Lambda 2/],
  ['L2', /Lambda 1/],
  ['L3', /Lambda, streams/],
  ['S', /serverless-http/],
]

const runtimesOf = (names: RegExp): readonly Runtime[] => runtimes.filter(({ name }) => names.test(name))

/** How many promises hold in each runtime. */
export function summaryOf(results: Results): string {
  const rows = columns.flatMap(([code, names]) =>
    runtimesOf(names).map(({ name, kind }) => {
      const made = promisedTo(kind).length
      const { version, differences } = results[name]!
      return [code, name, version, `${made - Object.keys(differences).length} of ${made}`]
    }),
  )
  return toTable([['in the tables', 'runtime and way of serving', 'version', 'promises that hold'], ...rows])
}

/** Each promise in each runtime: `yes`, the number of a reason, or `–` where it is not made. */
export function matrixOf(results: Results): string {
  const sections = [...new Set(promises.map(({ section }) => section))]
  const heads = ['promise', ...columns.map(([code]) => code)]
  return sections
    .map((section) => {
      const rows = promises
        .filter((one) => one.section === section)
        .map((promised) => {
          const title = titleOf(promised)
          return [
            promised.promise.replaceAll('|', '\\|'),
            ...columns.map(([, names]) => cellOf(results, names, title)),
          ]
        })
      return `**${section}**\n\n${toTable([heads, ...rows])}`
    })
    .join('\n\n')
}

function cellOf(results: Results, names: RegExp, title: string): string {
  const cells = runtimesOf(names).map(({ name, kind }) => {
    if (!promisedTo(kind).some((one) => titleOf(one) === title)) return '–'
    return title in results[name]!.differences ? String(reasonsFor(name).get(title)) : 'yes'
  })
  return [...new Set(cells)].join(', ')
}

/** The reasons, by their numbers. */
export const reasonList = (): string => reasons.map(({ reason }, at) => `${at + 1}. ${reason}`).join('\n')
