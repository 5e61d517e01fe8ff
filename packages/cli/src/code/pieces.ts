// The pieces of code that count for a route: its handler, what its requests pass, and what the handler reads and calls.
import { shortened } from '../report/pass-text.js'
import type { BriefPiece, Used } from '../documents/brief.js'
import type { Pass, RouteRow } from '../documents/inventory.js'
import type { Code, ProjectCode } from './project-code.js'
import { chainOf, keyName, namesDeclaredBy } from '../syntax/declarations.js'
import type { Node } from '../syntax/parser.js'
import { nameIn, unwrapped } from '../syntax/syntax.js'

const nothing: Used = { reads: [], sets: [], leaves: [] }
const mostUses = 20
const longestArgument = 120
const firstWord = (text: string): string => /[\w$]+/.exec(text)?.[0] ?? ''
/** That a router was made says nothing of its route. */
const isRouter =
  /^(?:export )?(?:const|let|var) \w+(?:: \w+)? = (?:new )?(?:express(?:\.Router)?|Router)\([^\n]*$/

/** In the order of what is most needed, each with its whole source. */
export function piecesOf(
  row: RouteRow,
  project: ProjectCode,
): { readonly pieces: readonly BriefPiece[]; readonly handler: Code | undefined } {
  const { own, passes, errorHandlers } = row
  const { behind = [] } = own
  const replaced = behind.findLast(({ kind }) => kind !== 'error')
  const isNative = own.stage === 'native' || own.stage === undefined
  const handlerName = replaced?.name ?? own.name
  const statement = project.statementAt(own.at, row)
  const parts = statement?.parts ?? []
  const written = project.functionAt((replaced ?? own).definition, handlerName, { prefersLast: true, parts })
  const shown: Code[] = []
  /** Undefined for what stands in a piece that is shown. */
  const fresh = (code: Code | undefined): Code | undefined => {
    if (code === undefined || shown.some((one) => isWithin(code, one))) return undefined
    shown.push(code)
    return code
  }
  const isInline = written !== undefined && statement !== undefined && isWithin(written, statement)
  const handler = isInline ? { ...statement, used: written.used } : written
  if (handler !== undefined) shown.push(handler)
  const pieces: BriefPiece[] = [
    {
      role: isNative ? 'native' : 'handler',
      name: handlerName,
      at: own.at,
      definition: (replaced ?? own).definition,
      ...(handler?.used ?? nothing),
      source: handler?.text,
    },
  ]
  const route = isInline ? undefined : fresh(statement)
  if (route !== undefined)
    pieces.push({
      role: 'route',
      name: `${row.method} ${row.path}`,
      at: own.at,
      definition: route.place,
      ...route.used,
      source: route.text,
    })
  if (replaced !== undefined) {
    const code = project.functionAt(own.definition, own.name, { parts })
    const source = fresh(code)?.text
    pieces.push({
      role: 'native',
      name: own.name,
      at: own.at,
      definition: own.definition,
      ...(code?.used ?? nothing),
      source,
    })
  }
  const told = (pass: Pass, role: 'pass' | 'error'): BriefPiece => {
    const calledAs = role === 'error' ? 'error handler' : 'handler'
    const code = project.functionAt(pass.definition, pass.name, { calledAs })
    return {
      role,
      name: pass.param === undefined ? pass.name : `${pass.param}: ${pass.name}`,
      at: pass.at,
      definition: pass.definition,
      ...(pass.argument === undefined ? {} : { argument: shortened(pass.argument, longestArgument)! }),
      ...(pass.mount === '/' ? {} : { mount: pass.mount }),
      ...(code?.used ?? nothing),
      source: fresh(code)?.text,
    }
  }
  // The nearest to the route first.
  const guards = passes.filter(({ kind }) => kind !== 'error').map((pass) => told(pass, 'pass'))
  pieces.push(...guards.reverse())
  const roots = [written, ...parts].filter((one) => one !== undefined)
  const uses = roots.flatMap((one) => project.usedBy(one, mostUses)).flatMap((one) => fresh(one) ?? [])
  for (const code of uses.slice(0, mostUses)) {
    if (isRouter.test(code.text)) continue
    pieces.push({
      role: 'uses',
      name: nameOfShown(code.shown) ?? firstWord(code.text),
      at: undefined,
      definition: code.place,
      ...code.used,
      source: code.text,
    })
  }
  const inFront = passes.filter(({ kind }) => kind === 'error')
  pieces.push(...[...inFront, ...errorHandlers].map((pass) => told(pass, 'error')))
  return { pieces, handler: written }
}

function isWithin({ file, shown: { start, end } }: Code, other: Code): boolean {
  return file === other.file && other.shown.start <= start && other.shown.end >= end
}

/** The name that a statement or a member declares or sets. */
function nameOfShown(node: Node): string | undefined {
  const { type, id, key, declarations, declaration, expression } = node as Node & Record<string, Node | null>
  if (/^Export/.test(type) && declaration) return nameOfShown(declaration)
  if (type === 'VariableDeclaration') {
    const declared = (declarations as unknown as readonly Node[]).flatMap((one) =>
      namesDeclaredBy(one['id'] as Node),
    )
    return declared.map(nameIn).join(', ')
  }
  if (key) return keyName(key, node['computed'] === true)
  if (type !== 'ExpressionStatement') return nameIn(id)
  const set = unwrapped(expression!)
  if (set.type !== 'AssignmentExpression') return undefined
  const { bottom, members } = chainOf(set['left'] as Node)
  const isOwn = bottom.type === 'ThisExpression' || /^(?:exports|module)$/.test(String(bottom['name']))
  return isOwn ? members.at(-1) : undefined
}
