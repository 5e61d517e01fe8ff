// Words of the commands that are printed. Names of routes and files are the app's: a shell must take each as one word, and run none of it.

/** In quotes for a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** In quotes where it needs them. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : quoted(text)
}
