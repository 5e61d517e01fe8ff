// Whether a function that the witness of a route still passes covers all requests of that route, as it did. By what is written in both paths,
// as rows and mounts show them.

const text = /^[\w.~@%-]+$/
/** One segment, whatever it is. */
const param = /^:\w+$/
/** All paths, in Express 4, in Express 5 and in a list of Controllers. */
const everything = new Set(['', '/', '*', '/*', '(.*)', '/(.*)', '.*'])

/** True where a function at `was` surely met all requests of a route, and of one at `is` that cannot be said. */
export function isNarrowed(
  { path, kind }: { readonly path: string; readonly kind?: string | undefined },
  was = '/',
  is = '/',
): boolean {
  if (was === is || coversAll(is)) return false
  const segments = segmentsOf(path)
  // The witness is its only request, and that passes the function.
  if (kind !== 'mount' && segments.every((segment) => text.test(segment))) return false
  return covers(was, segments) && !covers(is, segments)
}

function covers(mount: string, segments: readonly string[]): boolean {
  // A list of paths is shown with commas.
  const some = mount.split(', ')
  if (some.length > 1) return some.some((one) => covers(one, segments))
  if (coversAll(mount)) return true
  return segmentsOf(mount).every((own, at) => {
    const segment = segments[at] ?? ''
    // In upper or lower case: the witness has shown that it counts as the same. Of a list it has passed one path alone.
    if (text.test(own)) return own.toLowerCase() === segment.toLowerCase()
    return param.test(own) && (text.test(segment) || param.test(segment))
  })
}

function coversAll(mount: string): boolean {
  return everything.has(mount) || /^\/?(?:\*\w+|\{\/?\*\w+\})$/.test(mount)
}

function segmentsOf(path: string): readonly string[] {
  // Where a group begins with a slash, what stands before it is whole.
  const parts = path.replaceAll('{/', '/{').split('/')
  return parts.filter((part, at) => part !== '' || (at > 0 && at < parts.length - 1))
}
