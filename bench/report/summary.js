import { compare, compareLeast, summarise, summariseLeast } from '../harness/statistics.js'

/**
 * What a row's samples come to: for each contender CPU time per unit, units per second and its ratio to the base, and
 * which targets are met.
 */
export function summariseRow(row, results) {
  const isLeast = row.kind === 'memory'
  const ratioOf = (some, others) =>
    isLeast ? compareLeast(some, others) : compare(some, others, row.measure)
  const samplesOf = (name) => results.find((result) => result.name === name).samples
  return {
    name: row.name,
    title: row.title,
    unit: row.unit,
    measure: row.measure,
    base: row.base,
    contenders: results.map(({ name, samples, growthMiB }) => ({
      name,
      cpuMicroseconds: (isLeast ? summariseLeast : summarise)(samples.map(({ cpu }) => cpu)),
      perSecond: summarise(samples.map(({ rate }) => rate)),
      ratio: ratioOf(samples, samplesOf(row.base)),
      ...(row.mostGrowthMiB !== undefined && { growthMiB: Math.max(...growthMiB) }),
    })),
    targets: [
      ...row.targets.map(({ what, against, least }) => {
        const { median } = ratioOf(samplesOf(what), samplesOf(against))
        return createTarget(
          row.title,
          `${what} against ${against}`,
          median,
          `≥ ${least.toFixed(2)}`,
          median >= least,
        )
      }),
      ...results
        .filter(({ name }) => row.mostGrowthMiB !== undefined && name === row.targets[0].what)
        .map(({ name, growthMiB }) => {
          const base = results.find(({ name }) => name === row.base)
          const over = Math.max(...growthMiB) - Math.max(...base.growthMiB)
          return createTarget(
            row.title,
            `${name}, RSS growth in MiB over that of ${row.base}`,
            over,
            `< ${row.mostGrowthMiB}`,
            over < row.mostGrowthMiB,
          )
        }),
    ],
    samples: results,
  }
}

export function summariseImports(imports) {
  const { median } = imports[0].milliseconds
  return [createTarget('import', `${imports[0].name}, ms`, median, '≤ 15', median <= 15)]
}

export function summariseSizes(sizes) {
  const most = [8192, 12288]
  return sizes.map(({ names, bytes }, at) =>
    createTarget('Size, min+gz', `${names}, bytes`, bytes, `≤ ${most[at]}`, bytes <= most[at]),
  )
}

const createTarget = (title, what, measured, wanted, met) => ({ title, what, measured, wanted, met })
