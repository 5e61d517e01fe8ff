// Source maps, as compilers have written them.
import { readFileSync } from 'node:fs'
import { findSourceMap, SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fileOf } from '../documents/place.js'

export function mapUrlIn(text: string | undefined): string | undefined {
  return text?.match(/^\/\/[#@] ?sourceMappingURL=(\S+)\s*$/m)?.[1]
}

interface MapPayload {
  readonly sources: readonly string[]
  readonly sourcesContent: readonly unknown[]
}

interface ReadMap {
  readonly map: SourceMap
  readonly payload: MapPayload
}

/**
 * The source map that Node keeps of a file that was compiled while it was loaded. The debugger does not name a script of which no function is
 * left, as an entry that only registers what it imports.
 */
export function keptMap(file: string): ReadMap | undefined {
  const map = findSourceMap(file)
  const payload = map && withoutRoot(map.payload as unknown as Readonly<Record<string, unknown>>)
  return payload && { map, payload }
}

/** The source map of a file; undefined where there is none, and where it is not one: others have written it. */
export function readMap(file: string, url: string): ReadMap | undefined {
  try {
    const inline = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url)
    const json = inline
      ? inline[1]
        ? Buffer.from(inline[2]!, 'base64').toString()
        : decodeURIComponent(inline[2]!)
      : readFileSync(mapFile(file, url), 'utf8')
    const payload = withoutRoot(JSON.parse(json) as Readonly<Record<string, unknown>>)
    return payload && { map: new SourceMap(payload as never), payload }
  } catch {
    return undefined
  }
}

/** With the root of its sources before each of them, which Node leaves out. */
function withoutRoot({
  sourceRoot,
  sources = [],
  sourcesContent = [],
  ...rest
}: Readonly<Record<string, unknown>>): MapPayload | undefined {
  const hasMappings = typeof rest['mappings'] === 'string' || Array.isArray(rest['sections'])
  if (!hasMappings || !Array.isArray(sources) || !sources.every(isText)) return undefined
  const root = typeof sourceRoot === 'string' && sourceRoot !== '' ? sourceRoot.replace(/\/?$/, '/') : ''
  const isWhole = (source: string): boolean => /^(?:[a-z][\w+.-]*:|\/)/i.test(source)
  return {
    ...rest,
    sources: sources.map((source) => (isWhole(source) ? source : root + source)),
    sourcesContent: Array.isArray(sourcesContent) ? sourcesContent : [],
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

function mapFile(file: string, url: string): string {
  return url.startsWith('file:') ? fileOf(url) : resolve(dirname(file), decodeURI(url))
}

export function resolveSource(file: string, url: string | undefined, source: string): string {
  try {
    if (source.startsWith('file:')) return fileOf(source)
    const base = url === undefined || url.startsWith('data:') ? file : mapFile(file, url)
    const address = new URL(source, pathToFileURL(base))
    // A bundler's own names, as `webpack://app/src/app.js`, stay what they are: the text stands in the map.
    return address.protocol === 'file:' ? fileURLToPath(address) : address.href
  } catch {
    // No address: the text stands in the map, too.
    return source
  }
}
