// Which side a client is on under `canary`.

/** What the share is counted in: hundredths of a per cent. */
const buckets = 10_000

/** A number below 10,000 that is always the same for a text: FNV-1a, its bits mixed, as short texts differ in few of them. */
export function bucketOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % buckets
}

/** Who is among five per cent is also among twenty-five: a share that grows takes no client back. */
export function isAmong(key: string, percent: number): boolean {
  return bucketOf(key) < percent * (buckets / 100)
}
