// What helps against a difference, where that is known.
import type { Difference, OpenDifference } from './schema.js'

/** What else is known of the two answers. */
export interface Circumstances {
  readonly isOtherStatus: boolean
  /** True where the Controller itself has set the ETag; the legacy app adds one by its settings. */
  readonly hasOwnEtag: boolean
  /** True for a callback in a route of the app: what stands before and behind it is the same for both. */
  readonly isAtPlace: boolean
  /** What the callback has looked for in the copy, and could not be copied. */
  readonly missed: readonly string[]
}

type Rule = readonly [
  fits: (difference: Difference, circumstances: Circumstances) => boolean,
  remedy: string | ((difference: Difference) => string),
  /** `'in front'`: it names what is the app's own for a callback in one of its routes. */
  where?: 'in front',
]

const isMissing = ({ what }: Difference): boolean => what === 'missing header'

/** Headers that a package sets for a whole app. */
const ofHelmet = new Set([
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
])

const rules: readonly Rule[] = [
  [
    (one) => isMissing(one) && one.name === 'etag',
    'use(conditional(), etag()) of the Controller, or of all: routeControllers.use(conditional(), etag())',
    'in front',
  ],
  [
    ({ what, legacy, native }) => what === 'status' && legacy === '304' && native === '200',
    'use(conditional()) of the Controller, which answers 304',
    'in front',
  ],
  [
    ({ what, name }, { hasOwnEtag }) => what === 'new header' && name === 'etag' && hasOwnEtag,
    'take etag() out: the legacy app has its setting etag off, or pipes this answer',
    'in front',
  ],
  [
    (one) => isMissing(one) && ofHelmet.has(one.name ?? ''),
    'routeControllers.addGlobal(helmet()), with the options of the legacy app, or what else sets this header there',
    'in front',
  ],
  [
    (one) => isMissing(one) && one.name?.startsWith('access-control-') === true,
    'routeControllers.addGlobal(cors()), with the options of the legacy app',
    'in front',
  ],
  [
    (one) => isMissing(one) && one.name === 'content-encoding',
    'routeControllers.addGlobal(compression()), with the options of the legacy app',
    'in front',
  ],
  [
    ({ what, name, legacy, native }) =>
      what === 'header' && name === 'content-type' && isOf('text/html', legacy) && isOf('text/plain', native),
    'res.html(text) in the Controller: a text that it returns is text/plain',
  ],
  [
    (one) => one.name === 'set-cookie' && cookieWithoutExpires(one) !== undefined,
    (one) =>
      `expires: new Date(Date.now() + 1000 * seconds) beside maxAgeSeconds: seconds of the cookie ${cookieWithoutExpires(one)}: Express makes both of maxAge`,
  ],
]

/** The name of a cookie that is the same but for the `Expires` that Express adds to a `Max-Age`. */
function cookieWithoutExpires({ legacy = '', native = '' }: Difference): string | undefined {
  const others = new Set(native.split('\n'))
  const expires = '; Expires'
  const line = legacy
    .split('\n')
    .find(
      (one) =>
        /; Max-Age=/i.test(one) &&
        one.includes(expires) &&
        !others.has(one) &&
        others.has(one.replace(expires, '')),
    )
  return line?.slice(0, line.indexOf('='))
}

function isOf(type: string, value: string | undefined): boolean {
  return value?.toLowerCase().startsWith(type) === true
}

/** What helps against a difference; undefined where that is for a person to find out. */
export function remedyFor(difference: Difference, circumstances: Circumstances): string | undefined {
  // An answer of another kind has other headers: a redirect, or an error.
  if (circumstances.isOtherStatus && difference.what !== 'status') return undefined
  const { isAtPlace, missed } = circumstances
  if (missed.length > 0) {
    const [names, list] = [missed.join(' and no '), missed.map((one) => `'${one}'`).join(', ')]
    return `the copy has no ${names}, which cannot be copied: shadow: { asIs: [${list}] } gives it as it is`
  }
  const remedy = rules.find(
    ([fits, , where]) => !(isAtPlace && where === 'in front') && fits(difference, circumstances),
  )?.[1]
  return typeof remedy === 'function' ? remedy(difference) : remedy
}

/** A difference in a few words, with its remedy: for one line. */
export function differenceText({ what, name, legacy, native, remedy }: OpenDifference): string {
  const subject =
    what === 'status' ? `status ${legacy} → ${native}` : name === undefined ? what : `${what} ${name}`
  return remedy === undefined ? subject : `${subject}; remedy: ${remedy}`
}
