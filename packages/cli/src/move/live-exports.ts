// Whether what a file exports is the function that it shows: code of another file may have put one in its place.
import type { DefinitionSite, ExportsOf } from '../documents/registered.js'
import type { Exported } from '../edit/exported.js'
import { isHead, pathOf } from './registered-function.js'

/** What the files that `require` has loaded export, as the running app has it. */
export class LiveExports {
  readonly #files = new Map<string, ExportsOf[]>()

  constructor(all: readonly ExportsOf[]) {
    for (const one of all) {
      const file = pathOf(one.file)
      this.#files.set(file, [...(this.#files.get(file) ?? []), one])
    }
  }

  /** True where a function is what its file exports by the first of these names that it has. A module of ESM is not asked. */
  isSame({ source, value }: Exported, names: readonly string[]): boolean {
    return this.#of(source.file).every(({ functions }) => {
      const known = new Map(functions)
      const own = names.find((name) => known.has(name))
      if (own !== undefined) {
        const sites = known.get(own)!
        return sites === null || isHead(sites, source, value)
      }
      // Of what a getter gives that nothing can replace, the members are not known.
      return names.some((name) => wholesOf(name).some((whole) => known.get(whole) === null))
    })
  }

  /** True where an object that a file exports has another function by the name of a method than the file has. */
  isMemberReplaced({ source: { file }, name }: Exported): boolean {
    const isOfFile = (site: DefinitionSite): boolean => pathOf(site.file) === pathOf(file)
    return this.#of(file).some(({ functions }) =>
      functions.some(
        ([own, sites]) => own.split('.').at(-1) === name && sites !== null && !sites.some(isOfFile),
      ),
    )
  }

  #of(file: string): readonly ExportsOf[] {
    return this.#files.get(pathOf(file)) ?? []
  }
}

/** The objects that have a member: `users` of `users.show`. */
function wholesOf(name: string): string[] {
  const parts = name.split('.')
  return parts.slice(0, -1).map((_part, at) => parts.slice(0, at + 1).join('.'))
}
