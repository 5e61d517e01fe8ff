// What the handler of a route reads of its requests: a proof without requests that have it says nothing of that code.
import { piecesOf } from './pieces.js'
import { wholeFor } from './used.js'
import type { ProjectCode } from './project-code.js'
import type { BriefPiece } from '../documents/brief.js'
import type { RouteRow } from '../documents/inventory.js'
import type { Node } from '../syntax/parser.js'
import { memberOf, nameIn } from '../syntax/syntax.js'
import { walk } from '../syntax/walk.js'

export interface Inputs {
  /** `query.q`, `header.x-tenant`, `cookie.theme`, `body.name` */
  readonly names: readonly string[]
  /** The media types that it distinguishes, as `res.format` does. */
  readonly accepts: readonly string[]
}

const own: ReadonlySet<BriefPiece['role']> = new Set(['handler', 'native', 'uses'])
// Each request has them, or `parity` makes requests with them anyway.
const usual =
  /^header\.(?:host|accept|accept-(?:charset|encoding|language)|authorization|connection|content-(?:length|type)|if-none-match|if-modified-since|user-agent)$/
const types: Readonly<Record<string, string>> = {
  text: 'text/plain',
  txt: 'text/plain',
  html: 'text/html',
  json: 'application/json',
  xml: 'application/xml',
  csv: 'text/csv',
}

/** Of the handler, of its native callback, and of what they call in the files of the project. */
export function inputsOf(row: RouteRow, project: ProjectCode): Inputs {
  const { pieces, handler } = piecesOf(row, project)
  const counted = pieces.filter(({ role }) => own.has(role))
  const reads = counted.filter((piece) => mayGetRequest(piece, counted)).flatMap((piece) => piece.reads)
  const names = reads.flatMap((read) => nameOf(read) ?? []).filter((name) => !usual.test(name))
  const accepted = reads.flatMap((read) => /^accepts\('([^']+)'\)$/.exec(read)?.[1] ?? [])
  const formats = handler === undefined ? [] : formatsIn(handler.node)
  const accepts = [...accepted, ...formats].flatMap((type) => types[type] ?? (type.includes('/') ? type : []))
  return { names: [...new Set(names)], accepts: [...new Set(accepts)] }
}

/** False for a function that is called by its name, and never with the request. */
function mayGetRequest(piece: BriefPiece, pieces: readonly BriefPiece[]): boolean {
  const { role, name } = piece
  if (role !== 'uses' || pieces.some(({ reads }) => reads.includes(wholeFor(name)))) return true
  const call = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\(`)
  return !pieces.some((one) => one !== piece && call.test(one.source ?? ''))
}

function nameOf(read: string): string | undefined {
  const header = /^(?:get|header)\('([^']+)'\)$/.exec(read)?.[1] ?? /^headers\.([\w-]+)$/.exec(read)?.[1]
  if (header !== undefined) return `header.${header.toLowerCase()}`
  const [, of = '', name = '', call] = /^(query|cookies|body)\.([\w$-]+)(\(.*)?$/.exec(read) ?? []
  if (name === '' || (call !== undefined && isMethod(name))) return undefined
  return `${of === 'cookies' ? 'cookie' : of}.${name}`
}

/** One of the value itself: `req.body.map(…)` reads no `map` of a client. */
function isMethod(name: string): boolean {
  return [[], '', {}, URLSearchParams.prototype].some((value) => name in Object(value))
}

/** The keys of `res.format({ … })`. */
function formatsIn(node: Node): string[] {
  return [...walk(node)].flatMap(({ node: one }) => {
    if (one.type !== 'CallExpression' || memberOf(one['callee'] as Node)?.name !== 'format') return []
    const [given] = one['arguments'] as readonly Node[]
    const properties = (given?.type === 'ObjectExpression' ? given['properties'] : []) as readonly Node[]
    return properties.flatMap((property) => nameIn(property['key']) ?? [])
  })
}
