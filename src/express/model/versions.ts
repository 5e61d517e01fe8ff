import type { ExpressVersion } from './layer.js'

interface VersionTraits {
  /** The first version that this package works with. */
  readonly since: string
  /** What is of another version's grammar, and which this one would take for something else. */
  readonly foreignPath: { readonly form: RegExp; readonly of: ExpressVersion } | undefined
  /** The last segment of a pattern that is for the rest of the path; version 5 wants a name for it. */
  readonly rest: (name: string) => string
  /** The path of the pattern `*`, where it is not `/` with that segment. */
  readonly everything: string | undefined
  /** The layers that an app begins with, and that prepare a request, by their names in their order. */
  readonly initialLayers: readonly string[]
  /** False where a handler that rejects leaves its request without an answer. */
  readonly catchesRejections: boolean
  /** True where `route(path)` names GET in OPTIONS elsewhere than several routes do, unless it comes last. */
  readonly movesGet: boolean
}

/**
 * In what the versions of Express differ for all who use the model of it. The compiler asks for all of it where there is a new version, and
 * nothing outside of the model asks which number a version has.
 */
export const expressVersions: Readonly<Record<ExpressVersion, VersionTraits>> = {
  4: {
    since: '4.17.0',
    foreignPath: { form: /\{(?!\d+(?:,\d*)?\})|[:*]"/, of: 5 },
    rest: () => '/*',
    everything: '*',
    initialLayers: ['query', 'expressInit'],
    catchesRejections: false,
    movesGet: true,
  },
  5: {
    since: '5.0.0',
    foreignPath: undefined,
    rest: (name) => `/{*${name}}`,
    everything: undefined,
    initialLayers: [],
    catchesRejections: true,
    movesGet: false,
  },
}
