// Which handler a wrapper of async handlers calls: `asyncHandler(show)`.
import type { Handle } from 'routecontrollers/express-model'
import { closureOf, targetOf } from './functions.js'

const call = String.raw`(?<inner>[\w$]+)\(\k<req>, ?\k<res>(?:, ?\k<next>)?\)`
const onError = String.raw`(?:\k<next>|\(?(?<error>[\w$]+)\)? ?=> ?\{? ?\k<next>\(\k<error>\);? ?\}?)`
const head = String.raw`^(?:async )?(?:function ?[\w$]* ?)?\((?<req>[\w$]+), ?(?<res>[\w$]+), ?(?<next>[\w$]+)\) ?(?:=> ?)?`
const restHead = String.raw`^(?:async )?(?:function ?[\w$]* ?)?\(\.\.\.(?<args>[\w$]+)\) ?(?:=> ?)?`
const last = String.raw`\k<args>(?:\[2\]|\[\k<args>\.length ?- ?1\]|\.at\(-1\))`
const wrapping: readonly RegExp[] = [
  // (req, res, next) => Promise.resolve(fn(req, res, next)).catch(next)
  new RegExp(
    String.raw`${head}(?:\{ ?)?(?:return |void |await )?(?:Promise\.resolve\()?${call}\)?\.catch\(${onError}\);?(?: ?\})?$`,
  ),
  // async (req, res, next) => { try { await fn(req, res, next) } catch (error) { next(error) } }
  new RegExp(
    String.raw`${head}\{ ?try ?\{ ?(?:return )?await ${call};? ?\} ?catch ?\((?<error>[\w$]+)\) ?\{ ?(?:return )?\k<next>\(\k<error>\);? ?\} ?\}$`,
  ),
  // (...args) => fn(...args).catch(args[2])
  new RegExp(
    String.raw`${restHead}(?:\{ ?)?(?:return |void |await )?(?:Promise\.resolve\()?(?<inner>[\w$]+)\(\.\.\.\k<args>\)\)?\.catch\(${last}\);?(?: ?\})?$`,
  ),
  // express-async-handler
  /^function asyncUtilWrap ?\(\.\.\.args\) ?\{ ?const fnReturn = (?<inner>fn)\(\.\.\.args\);?/,
]

/** The handler that such a wrapper keeps, and calls with what it gets, or that it is bound to; undefined for any other function. */
export function wrappedBy(run: Handle): Handle | undefined {
  const text = Function.prototype.toString.call(run)
  if (text.length > longest) return undefined
  const plain = text.replace(/\s+/g, ' ')
  if (plain.endsWith('{ [native code] }')) {
    const target = targetOf(run)
    return typeof target === 'function' ? (target as Handle) : undefined
  }
  for (const one of wrapping) {
    const name = one.exec(plain)?.groups?.['inner']
    const inner = name === undefined ? undefined : closureOf(run, name)
    if (typeof inner === 'function') return inner as Handle
  }
  return undefined
}

/** What does no more than that is short. */
const longest = 400
