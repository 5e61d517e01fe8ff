import type { ExpressVersion } from './layer.js'

/** What to write instead of a path of the other version. */
export function translationOf(version: ExpressVersion, path: string): string {
  const written = translators[version](path)
  return written === undefined || written === path
    ? 'a regular expression instead, as in expressPath(/^\\/users\\/(\\d+)$/)'
    : `'${written}' instead`
}

const translators: Readonly<Record<ExpressVersion, (path: string) => string | undefined>> = {
  4: toVersion4,
  5: toVersion5,
}

function toVersion5(path: string): string | undefined {
  let unnamed = 0
  const name = (): string => (unnamed++ === 0 ? 'splat' : `splat${unnamed}`)
  const written = (path === '*' ? '/*' : path)
    .replace(/\/:(\w+)\?(?=\/|$)/g, '{/:$1}')
    .replace(/\/\*(?=\/|$)/g, () => `/{*${name()}}`)
    .replace(/!/g, '\\!')
  // Anything else of version 4's grammar is a regular expression in version 5.
  const rest = written.replace(/\{\/:\w+\}|\{\*\w+\}|\\!/g, '')
  return /[()[\]?+*!|{}]/.test(rest) ? undefined : written
}

function toVersion4(path: string): string | undefined {
  const written = path
    .replace(/\{\/:([A-Za-z_]\w*)\}(?=\/|$)/g, '/:$1?')
    .replace(/\{\*[A-Za-z_]\w*\}/g, '*')
    .replace(/\*[A-Za-z_]\w*/g, '*')
    .replace(/:"([A-Za-z_]\w*)"/g, ':$1')
  return /[{}"\\]/.test(written) ? undefined : written
}
