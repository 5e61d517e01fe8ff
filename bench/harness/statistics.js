/** The median, and the quartiles on both sides of it: half of all values lie between them. */
export function summarise(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) }
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
