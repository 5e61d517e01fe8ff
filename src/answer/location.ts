/** Browsers leave out tabs and line breaks: behind one, a path could be another host. A `%` of an escape stays. */
export function encodeLocation(location: string): string {
  return location
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/(?:[^\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7a\x7c\x7e]|%(?![\da-f]{2}))+/gi, encodeURI)
}
