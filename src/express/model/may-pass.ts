import type { Handle } from './layer.js'

const ofMiddleware = new WeakMap<Handle, boolean>()
const ofRoutes = new WeakMap<Handle, boolean>()

/** What a function wraps, where that is known; undefined for any other function. */
type ReadWrapped = (run: Handle) => Handle | undefined
let readWrapped: ReadWrapped | undefined

/** From now on a function that only gives the errors of another one to `next`, or is bound to it, counts as that one. */
export function countWrapped(read: ReadWrapped): void {
  readWrapped = read
}

/**
 * Whether a function can give its request on, read off its text: it has a third parameter and names it, or it reaches for `next` by
 * another way. True where the text cannot be read.
 *
 * The last handler of a route must do more: `next(error)` and `.catch(next)` are for what fails, and no other route gets the request.
 */
export function mayPass(run: Handle, isLastOfRoute = false): boolean {
  const known = isLastOfRoute ? ofRoutes : ofMiddleware
  let passes = known.get(run)
  if (passes === undefined) {
    const text = Function.prototype.toString.call(run)
    passes = reads(text, isLastOfRoute)
    const inner = (native.test(text) ? isLastOfRoute : passes) ? readWrapped?.(run) : undefined
    if (inner !== undefined) passes = mayPass(inner, isLastOfRoute)
    known.set(run, passes)
  }
  return passes
}

/** The text of a function that is bound to another one, or that the platform has. */
const native = /\{\s*\[native code\]\s*\}\s*$/

function reads(text: string, isLastOfRoute: boolean): boolean {
  if (native.test(text)) return !isLastOfRoute
  const parameters = parametersOf(text)
  // `req.next()`, and parameters that are taken all at once.
  if (/\.next\b|\[\s*(['"`])next\1\s*\]|\barguments\b/.test(text) || parameters === undefined) return true
  if (takesNext(text, parameters.list[0])) return true
  if (parameters.list.some((one) => one.startsWith('...'))) return true
  const next = parameters.list[2]
  if (next === undefined) return false
  if (!/^[\w$]+$/.test(next)) return true
  const name = next.replaceAll('$', '\\$')
  const body = text.slice(parameters.end)
  const uses = [...body.matchAll(new RegExp(`(?<![\\w$.])${name}(?![\\w$])`, 'g'))]
  return uses.some(({ index }) => {
    const after = body.slice(index + next.length).trimStart()
    const isForErrors =
      /^\(\s*(?!\)|(['"`])(?:route|router)\1\s*\))/.test(after) || /\.catch\(\s*$/.test(body.slice(0, index))
    return !(isLastOfRoute && isForErrors)
  })
}

/** True for `const { next } = req`, and for a first parameter that is taken apart so. */
function takesNext(text: string, request = ''): boolean {
  const named = /[{,]\s*next(?![\w$])/
  if (!/^[\w$]+$/.test(request)) return named.test(request)
  const apart = new RegExp(`\\{([^{}]*)\\}\\s*=\\s*${request.replaceAll('$', '\\$')}(?![\\w$.])`, 'g')
  return [...text.matchAll(apart)].some(([, list]) => named.test(`{${list}`))
}

/** How far a function may send its request on, read off its text: `next('route')` and `next('router')`, whatever stands around the word. */
export interface Skips {
  readonly route: boolean
  readonly router: boolean
}

const skipsOf = new WeakMap<Handle, Skips>()

export function skips(run: Handle): Skips {
  let known = skipsOf.get(run)
  if (known === undefined) {
    const inner = mayPass(run) ? readWrapped?.(run) : undefined
    const text = Function.prototype.toString.call(run)
    const names = (word: string): boolean => new RegExp(`(['"\`])${word}\\1`).test(text) && mayPass(run)
    known = inner === undefined ? { route: names('route'), router: names('router') } : skips(inner)
    skipsOf.set(run, known)
  }
  return known
}

/**
 * Why a function would see another request without the mount of its router, read off its text. Undefined where it names nothing that
 * a mount changes. A function of `use` sees the params of its own path too. What it calls is not seen.
 */
export function needOfMount(run: Handle, isRoute: boolean): string | undefined {
  const text = Function.prototype.toString
    .call(run)
    .replace(/(?:[\w$]+\.url\s*=\s*)?[\w$]+\.originalUrl\s*\|\|\s*[\w$]+\.url\b/g, '')
  const first = parametersOf(text)?.list[run.length === 4 ? 1 : 0]
  if (native.test(text)) return 'the text of a function cannot be read'
  const names = `url|path|baseUrl|route${isRoute ? '' : '|params'}`
  const ofRequest = /^[\w$]+$/.test(first ?? '') ? first!.replaceAll('$', '\\$') : 'req(?:uest)?'
  const found =
    new RegExp(`(?<![\\w$.])${ofRequest}\\s*\\??\\.\\s*(${names})(?![\\w$])`).exec(text) ??
    new RegExp(`\\{[^{}]*(?<![\\w$.])(${names})(?![\\w$])[^{}]*\\}\\s*=\\s*${ofRequest}(?![\\w$.])`).exec(
      text,
    ) ??
    (first?.startsWith('{') ? new RegExp(`[{,]\\s*(${names})(?![\\w$])`).exec(first) : null)
  if (found === null) return undefined
  return `a function reads req.${found[1]!}, which its mount changes`
}

/** The parameters of a function, as they are written; undefined where the text is not understood. */
function parametersOf(text: string): { readonly list: readonly string[]; readonly end: number } | undefined {
  const single = /^(?:async\s+)?([\w$]+)\s*=>/.exec(text)
  if (single !== null) return { list: [single[1]!], end: single[0].length }
  const start = text.indexOf('(')
  const list: string[] = []
  let depth = 0
  let from = start + 1
  for (let at = start; at >= 0 && at < text.length; at++) {
    const character = text[at]!
    if ('([{'.includes(character)) depth++
    if (')]}'.includes(character)) depth--
    const ends = depth === 0
    if (!ends && !(depth === 1 && character === ',')) continue
    const parameter = text
      .slice(from, at)
      .replace(/\/\*.*?\*\/|\/\/.*$/gms, '')
      .split(/[=:]/, 1)[0]!
      .trim()
    if (parameter !== '') list.push(parameter)
    if (ends) return { list, end: at + 1 }
    from = at + 1
  }
  return undefined
}
