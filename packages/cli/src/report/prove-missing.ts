// What is said of proofs that are missing: one entry for each code.
import type { Missing, MissingCode, ToldMissing } from '../documents/prove.js'
import { quoted, shellWord } from '../terminal/shell-word.js'

/** What the remedies name. */
interface ProvedApp {
  /** The file that starts it. */
  readonly entry: string
  /** The command that builds it; undefined for one that is written by hand. */
  readonly build: string | undefined
}

interface Entry<C extends MissingCode> {
  /** What the code stands for, as a sentence without its full stop. */
  readonly title: string
  readonly message: (missing: Missing<C>) => string
  readonly remedy: (missing: Missing<C>, app: ProvedApp) => string
}

const missingProofs: { readonly [C in MissingCode]: Entry<C> } = {
  'no-lock': {
    title: 'Nothing says what guarded the routes before',
    message: () => 'there is no lock, so its guards were not compared',
    remedy: (_one, { entry, build }) =>
      `write one from the code before any route has moved: routecontrollers inspect ${shellWord(entry)} --lock; or name that code: ${base(build)}`,
  },
  'not-moved': {
    title: 'A route has no new code to compare',
    message: () => 'its handler of Express is alone in the route, so there is nothing to compare',
    remedy: ({ route }, { build }) =>
      `write a native callback: routecontrollers move ${quoted(route ?? '/**')} --as-is --write${behind(build)}. After an edit of the handler itself: ${base(build)}`,
  },
  'of-package': {
    title: 'A package registers a route',
    message: () => 'a package registers it, so its handler of Express stays, and there is nothing to compare',
    remedy: () => 'name the routes of your own files',
  },
  followed: {
    title: 'Handlers for other methods follow a route',
    message: () =>
      'other handlers of its route follow it, so move leaves it, and there is nothing to compare',
    remedy: () => 'name other routes, or write those handlers in a route of their own',
  },
  'no-legacy': {
    title: 'A route has no handler to compare with',
    message: () => 'its handler is gone, so there is nothing to compare the answers with',
    remedy: (_one, { build }) => `name a revision of git that has the handler: ${base(build)}`,
  },
  unsafe: {
    title: 'No request that writes was made',
    message: () => 'its method writes, and no such request was made',
    remedy: () =>
      'add --unsafe, and give each side data of its own: --data FOLDER, or --legacy-env NAME=value',
  },
  'no-request': {
    title: 'No request reached a route',
    message: () => 'no request to it was answered',
    remedy: ({ route }) =>
      `make one that it answers: ${requestFor(route)}; or play a recording: --recording FILE`,
  },
  limited: {
    title: 'A rate limit answered for a route',
    message: () => 'a rate limit of the app answered 429, so what stands behind it was not compared',
    remedy: () => 'raise the limit for this run, or prove fewer routes at once',
  },
  'no-success': {
    title: 'A route answered each request with an error',
    message: ({ statuses, takesForm }) =>
      `${takesForm === true ? 'it reads a form with files, and ' : ''}each request to it was answered by ${statuses.join(' or ')}, so what it answers when all is well was not seen`,
    remedy({ route, statuses, takesForm }) {
      if (statuses.every((status) => status === 401 || status === 403))
        return "let requests in: --header 'name: value'; or play a recording: --recording FILE"
      const made = `${requestFor(route)}; or play a recording: --recording FILE`
      if (takesForm === true)
        return `give the route a sample of its form in routes.lock.json, with the fields and files that it takes: ${formSample(route)}`
      return statuses.every((status) => status >= 500 || status === 410)
        ? `look into the log of the app for the error. Where another request is answered, make that: ${made}. A route that answers nothing else is proved by no request: compare its answers with parity, and name the other routes here`
        : `make a request that it answers: ${made}`
    },
  },
  'not-reached': {
    title: 'No request has come to the native callback of a route',
    message: ({ statuses }) =>
      `each request to it was answered by ${statuses.join(' or ')} before its native callback was asked, as by a guard that redirects`,
    remedy: () => "let requests in: --header 'name: value'; or play a recording: --recording FILE",
  },
  empty: {
    title: 'A route answered nothing but empty values',
    message: () =>
      'each answer to it was an error or empty, as {} or [], so what it answers where there is something was not seen',
    remedy: ({ route }) =>
      `make a request that finds something: ${requestFor(route)}; or play a recording: --recording FILE; or give the lock a sample of it`,
  },
  'no-input': {
    title: 'No request had what the code of a route reads',
    message: ({ inputs }) => `its code reads ${inputs.map(shownInput).join(', ')}, and no request had that`,
    remedy: ({ route, inputs }) =>
      `${[requestWith(route, inputs), ...headersWith(inputs)].join(' ')}; or play a recording: --recording FILE`,
  },
  incomplete: {
    title: 'Not all requests were compared',
    message: ({ compared, planned, of }) => `${of} has compared ${compared} of ${planned} requests`,
    remedy: () => 'read the notes of that part, and give it more time: --answer-limit-ms, --time-limit-ms',
  },
}

function formSample(route = 'POST /'): string {
  const url = JSON.stringify(askedBy(route)[1])
  return String.raw`"samples": [{ "url": ${url}, "headers": { "content-type": "multipart/form-data; boundary=form" }, "body": "--form\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ntext\r\n--form--\r\n" }]`
}

const behind = (build: string | undefined): string => (build === undefined ? '' : ` --run ${quoted(build)}`)
const base = (build: string | undefined): string => `--base REVISION${behind(build)}`

/** With a value for each param: `--request 'GET /orders/7'`. */
function requestFor(route = 'GET /'): string {
  const [method, target] = askedBy(route)
  const body = /^(?:POST|PUT|PATCH)$/.test(method) ? ' {"name":"value"}' : ''
  return `--request ${quoted(`${method} ${target}${body}`)}`
}

/** `:id`, `*rest`, and of Express 4 `:id(\\d+)?`. */
const param = /[:*](?:\w+|"[^"]*")(?:\((?:[^()]|\([^()]*\))*\))?[?+*]?/g

/** A method and a target that a route takes. */
function askedBy(route: string): [method: string, target: string] {
  const at = route.indexOf(' ')
  const [method, path] = [route.slice(0, at), route.slice(at + 1)]
  return [method === '*' ? 'GET' : method, path.replace(param, '7').replace(/[{}]/g, '')]
}

/** `?q`, `x-tenant`, `the cookie theme`, `name of its body` */
function shownInput(input: string): string {
  const [of, name] = partsOf(input)
  return (
    { query: `?${name}`, header: `the header ${name}`, cookie: `the cookie ${name}` }[of] ?? `body.${name}`
  )
}

function partsOf(input: string): [of: string, name: string] {
  const at = input.indexOf('.')
  return [input.slice(0, at), input.slice(at + 1)]
}

const namesOf = (inputs: readonly string[], wanted: string): string[] =>
  inputs.flatMap((input) => {
    const [of, name] = partsOf(input)
    return of === wanted ? name : []
  })

/** `--request 'GET /orders/7?q=value'` */
function requestWith(route = 'GET /', inputs: readonly string[]): string {
  const [method, path] = askedBy(route)
  const query = namesOf(inputs, 'query').map((name) => `${name}=value`)
  const members = namesOf(inputs, 'body').map((name) => `"${name}":"value"`)
  const body = members.length > 0 ? ` {${members.join(',')}}` : ''
  const target = `${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return `--request ${quoted(`${method} ${target}${body}`)}`
}

function headersWith(inputs: readonly string[]): string[] {
  const cookies = namesOf(inputs, 'cookie').map((name) => `${name}=value`)
  return [
    ...namesOf(inputs, 'header').map((name) => `--header ${quoted(`${name}: value`)}`),
    ...(cookies.length > 0 ? [`--header ${quoted(`cookie: ${cookies.join('; ')}`)}`] : []),
  ]
}

/** What the code of a missing proof stands for. */
export function titleOfMissing(code: MissingCode): string {
  return missingProofs[code].title
}

/** Adds the texts. */
export function toldMissing(missing: Missing, app: ProvedApp): ToldMissing {
  const { message, remedy } = missingProofs[missing.code] as unknown as Entry<MissingCode>
  return { ...missing, message: message(missing), remedy: remedy(missing, app) }
}
