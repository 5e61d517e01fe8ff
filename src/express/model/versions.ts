import type { ExpressVersion } from './layer.js'

/** Members of a response or an app that `res.json` of Express is, or calls. */
export type JsonMember = 'json' | 'send' | 'set' | 'get' | 'app.set' | 'app.get' | 'etag fn'

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
  /** True where a fresh answer gets its 304 by `res.status`, which a program may have replaced. */
  readonly callsStatus: boolean
  /**
   * The SHA-1 of the text of each function, in all releases. A text that is not here is taken for that of another program. Add one
   * only after reading what has changed in the function.
   */
  readonly ownTexts: Readonly<Record<JsonMember, readonly string[]>>
}

const getText = 'GVrlEjKdZaW+39TJu76mE7feRPs='
const etagText = 'j85tDa9A3Za+b4JqKdienEXex+4='
const setTextOf417 = '6vJxeW8eNpJAuxrqFo8ugDmpe14='

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
    callsStatus: false,
    ownTexts: {
      json: ['JHxrl8y1S7EJswy9QlgmJRc2TOI='],
      // 4.17, and from 4.18 on.
      send: ['f0TzRRhe7A2Pv80j0Qi4+olvYdw=', 'kKdzB5gUhqZ4GSO4GheBM0b7xMU='],
      set: ['UUqYQEejEW52bxD/T03MPA30L5w='],
      get: [getText],
      'app.set': [setTextOf417, 'czDak4unNvJP7ChV6pZp129K5qs='],
      'app.get': ['5lYEJRaw6qH4aSxrM9/86rZ5lTg='],
      'etag fn': [etagText],
    },
  },
  5: {
    since: '5.0.0',
    foreignPath: undefined,
    rest: (name) => `/{*${name}}`,
    everything: undefined,
    initialLayers: [],
    catchesRejections: true,
    movesGet: false,
    callsStatus: true,
    ownTexts: {
      json: ['tsyGQ+tGiG4KcXIEdmPVkRNmCNQ='],
      // 5.0, 5.1 and 5.2, and 5.3.
      send: ['iOtMgUk+QnOTt3DChcULLDo0z+c=', 'Oks4yRStn2NRlxMpN+z2sV7/THo=', 'aj0Bnm4FSJZUAX2b6Yjhi8wuHAQ='],
      set: ['mMOMQc652nyHToJN4h9fsaangYQ='],
      get: [getText],
      'app.set': [setTextOf417],
      // 5.0, and from 5.1 on.
      'app.get': ['TE4Nvi9tg6dqQvrfZK7zQHhJRmU=', 'P3w56rNGIHXcGtqaogaoR7mvpmY='],
      'etag fn': [etagText],
    },
  },
}
