// The types that validators before a handler give its request: those of the schemas that their calls name.
import { bindingsIn } from '../edit/imports.js'
import { argumentsOf, type SourceFile } from '../edit/source-file.js'
import type { Node } from '../syntax/parser.js'
import { isFreeIn } from './native/free-names.js'
import { keyOf, untyped } from '../syntax/tree.js'

/** By the package: functions that get an object of schemas, and those that get the schema of one part. */
const validators: Readonly<Record<string, Readonly<Record<string, 'all' | 'body' | 'query'>>>> = {
  'zod-express-middleware': {
    validateRequest: 'all',
    processRequest: 'all',
    validateRequestBody: 'body',
    processRequestBody: 'body',
    validateRequestQuery: 'query',
    processRequestQuery: 'query',
  },
  'express-zod-safe': { default: 'all', validate: 'all' },
}

/** The name of a type of `routecontrollers` that such a type is written with. */
export const schemaOutput = 'SchemaOutput'

/** The type of a request behind the validators of a route, `{ body: SchemaOutput<typeof NewTea> }`; undefined where none names a schema. */
export function typeByValidators(source: SourceFile, call: Node, handler: Node): string | undefined {
  const bindings = bindingsIn(source)
  const types = new Map<string, string>()
  for (const one of argumentsOf(call)) {
    if (one.start >= handler.start || one.type !== 'CallExpression') continue
    const callee = one['callee'] as Node
    const binding = callee.type === 'Identifier' ? bindings.get(callee['name'] as string) : undefined
    const part = binding && validators[binding.from]?.[binding.imported]
    const [given] = argumentsOf(one)
    if (part === undefined || given === undefined) continue
    for (const [name, schema] of part === 'all' ? schemasOf(given) : [[part, given] as const]) {
      const text = isNamed(schema) ? source.text.slice(schema.start, schema.end) : undefined
      if (text !== undefined) types.set(name, `${schemaOutput}<typeof ${text}>`)
    }
  }
  if (types.size === 0 || !isFreeIn(source.program, schemaOutput, 'routecontrollers')) return undefined
  return `{ ${[...types].map(([name, type]) => `${name}: ${type}`).join('; ')} }`
}

function schemasOf(read: Node): readonly (readonly [string, Node])[] {
  const object = untyped(read)
  if (object.type !== 'ObjectExpression') return []
  return (object['properties'] as readonly Node[]).flatMap((one) => {
    const name = one.type === 'ObjectProperty' ? keyOf(one) : undefined
    return name === 'body' || name === 'query' ? [[name, one['value'] as Node] as const] : []
  })
}

/** True for what `typeof` takes: a name, or a member of one. */
function isNamed(node: Node): boolean {
  if (node.type === 'Identifier') return true
  return node.type === 'MemberExpression' && node['computed'] !== true && isNamed(node['object'] as Node)
}
