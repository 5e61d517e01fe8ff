/** The median, and the quartiles on both sides of it: half of all values lie between them. */
export function summarise(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) }
}

/** The lowest decile, and from the least to the median. */
export function summariseLeast(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: quantile(sorted, 0.1), low: sorted[0], high: quantile(sorted, 0.5) }
}

/**
 * How much cheaper one is than another, by what each takes at its best: what else a machine does makes single rounds dearer, and none
 * cheaper. Beside it the same by their medians.
 */
export function compareLeast(samples, otherSamples) {
  const [own, other] = [samples, otherSamples].map((some) => summariseLeast(some.map(({ cpu }) => cpu)))
  const [least, middle] = [other.median / own.median, other.high / own.high]
  return { median: least, low: Math.min(least, middle), high: Math.max(least, middle) }
}

function quantile(sorted, part) {
  const at = (sorted.length - 1) * part
  const below = sorted[Math.floor(at)]
  return below + (sorted[Math.ceil(at)] - below) * (at - Math.floor(at))
}

/** How much cheaper (or faster) one is than another, each round compared with itself: above 1 is better. */
export function compare(samples, otherSamples, measure) {
  const ratios = samples.map((sample, round) =>
    measure === 'cpu' ? otherSamples[round].cpu / sample.cpu : sample.rate / otherSamples[round].rate,
  )
  return summarise(ratios)
}
