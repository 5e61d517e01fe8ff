// Which files of the project a process has loaded.
import Module from 'node:module'
import { isAbsolute } from 'node:path'
import type { FunctionReader } from './functions.js'

const inPackage = /[\\/]node_modules[\\/]/

/** By `require` or `import`, in no order that says anything. */
export function loadedFiles({ files }: FunctionReader): string[] {
  const all = new Set([...requiredFiles().map(([file]) => file), ...files])
  return [...all].filter((file) => isAbsolute(file) && !inPackage.test(file))
}

/** The code that `require` has loaded, each file with what it exports. */
export function requiredFiles(): (readonly [file: string, exported: unknown])[] {
  const { _cache: cache = {} } = Module as unknown as { _cache?: object }
  return Reflect.ownKeys(cache).flatMap((key) => {
    const loaded = valueOf(cache, key)
    if (typeof loaded !== 'object' || loaded === null) return []
    const file = valueOf(loaded, 'filename')
    if (typeof file !== 'string' || inPackage.test(file) || /\.(?:json|node)$/.test(file)) return []
    return [[file.split('?', 1)[0]!, valueOf(loaded, 'exports')] as const]
  })
}

function valueOf(object: object, key: PropertyKey): unknown {
  return Reflect.getOwnPropertyDescriptor(object, key)?.value
}
