// What a name or a member of a file stands for that another file of the project exports.
import type { Node } from '../syntax/parser.js'
import { classAround, isMember, isName, keyOf, memberName, untyped } from '../syntax/tree.js'
import { walk } from '../syntax/walk.js'
import {
  boundOf,
  type Exported,
  exportedBy,
  exportedWhole,
  isOnlyOnce,
  isReadByName,
  memberOf,
} from './exported.js'
import { bindingsIn } from './imports.js'
import type { Modules } from './modules.js'
import type { SourceFile } from './source-file.js'

/** What a name or a member stands for. */
export interface Named {
  readonly exported: Exported
  /** The module of an import by its own name; undefined where the name is a member of what the file has. */
  readonly from: string | undefined
}

/** The method of an object that the file of the route makes of a class of another file: `users.show`, `this.users.show`. */
export function methodOfMade(source: SourceFile, node: Node, modules: Modules): Exported | undefined {
  const name = isMember(node) && node['computed'] !== true ? memberName(node) : undefined
  const object = name === undefined ? undefined : untyped(node['object'] as Node)
  const made = object && madeBy(source, object)
  const callee = made?.type === 'NewExpression' ? (made['callee'] as Node) : undefined
  if (callee?.type !== 'Identifier') return undefined
  const local = callee['name'] as string
  const binding = bindingsIn(source).get(local)
  if (binding === undefined || !isOnlyOnce(source, local)) return undefined
  const file = modules.imported(source, binding.from)
  const owner = file && importedFrom(file, binding.imported)
  return owner && memberOf(owner, name!, true)
}

/** What an import of a file stands for: an export, or with `require` alone all that the file exports. */
function importedFrom(file: SourceFile, imported: string): Exported | undefined {
  if (imported === '*') return exportedWhole(file)
  return exportedBy(file, imported) ?? (imported === 'default' ? exportedWhole(file) : undefined)
}

/** What a module has by a name, for who has all of the module. */
function memberOfModule(file: SourceFile, name: string): Exported | undefined {
  const whole = exportedWhole(file)
  return exportedBy(file, name) ?? (whole && memberOf(whole, name))
}

/** The module that a file exports whole by a name: `exports.teas = require('./teas.cjs')`, `export * as teas from './teas.js'`. */
function passedOn(
  file: SourceFile,
  exported: Exported | undefined,
  name: string,
  modules: Modules,
): SourceFile | undefined {
  if (exported !== undefined) {
    const { value, source } = exported
    if (value.type !== 'CallExpression' || !isName(value['callee'] as Node, 'require')) return undefined
    const [from, ...others] = value['arguments'] as readonly Node[]
    return from?.type === 'StringLiteral' && others.length === 0
      ? modules.imported(source, from['value'] as string)
      : undefined
  }
  const statement = (file.program['body'] as readonly Node[]).find(
    (one) =>
      one.type === 'ExportNamedDeclaration' &&
      (one['specifiers'] as readonly Node[]).some(
        (entry) => entry.type === 'ExportNamespaceSpecifier' && isName(entry['exported'] as Node, name),
      ),
  )
  return statement && modules.imported(file, (statement['source'] as Node)['value'] as string)
}

/** The function that a file imports and calls, beside which nothing is written. */
export function importedFunction(source: SourceFile, callee: Node, modules: Modules): Exported | undefined {
  const named = referenced(source, callee, modules)?.exported
  if (named !== undefined || callee.type !== 'Identifier') return named
  const local = callee['name'] as string
  const binding = bindingsIn(source).get(local)
  if (binding === undefined || !isOnlyOnce(source, local)) return undefined
  const file = modules.imported(source, binding.from)
  return file && importedFrom(file, binding.imported)
}

/** What the file makes of a `const`, or of a field of the class around, that it only reads the members of. */
function madeBy(source: SourceFile, object: Node): Node | undefined {
  const { program } = source
  if (object.type === 'Identifier') {
    const name = object['name'] as string
    if (!isOnlyOnce(source, name) || !isReadByName(source, name)) return undefined
    const declared = [...walk(program)].find(
      ({ node, parent }) =>
        node.type === 'VariableDeclarator' &&
        isName(node['id'] as Node, name) &&
        parent?.['kind'] === 'const',
    )
    return untyped((declared?.node['init'] ?? object) as Node)
  }
  if (!isMember(object) || (object['object'] as Node).type !== 'ThisExpression') return undefined
  const name = object['computed'] === true ? undefined : memberName(object)
  const owner = classAround(object, program)
  const members = ((owner?.['body'] as Node | undefined)?.['body'] ?? []) as readonly Node[]
  const [field, ...others] = members.filter((one) => keyOf(one) === name)
  if (name === undefined || field?.type !== 'ClassProperty' || field['static'] === true || others.length > 0)
    return undefined
  // Code that has the object itself could find the native method, or change it.
  const isRead = [...walk(program)].every(
    ({ node, parent }) =>
      !isMember(node) ||
      memberName(node) !== name ||
      (isMember(parent) && parent['object'] === node && parent['computed'] !== true) ||
      boundOf(parent)?.to === node,
  )
  return isRead && field['value'] ? untyped(field['value'] as Node) : undefined
}

/** What a file of another one stands for by a name, a member, or a method of an object that this file makes. */
export function exportedAt(source: SourceFile, node: Node, modules: Modules): Exported | undefined {
  return methodOfMade(source, node, modules) ?? referenced(source, node, modules)?.exported
}

/**
 * What a name or a member stands for that a file imports. With `followsPassed` also what that file has of a third one, which it exports whole:
 * other code may put another object there, so the caller has to know which function runs.
 */
export function referenced(
  source: SourceFile,
  node: Node,
  modules: Modules,
  followsPassed = false,
): Named | undefined {
  const object = isMember(node) ? (node['object'] as Node) : node
  const name = isMember(node) ? memberName(node) : undefined
  if (object.type !== 'Identifier' || (isMember(node) && (name === undefined || node['computed'] === true)))
    return undefined
  const local = object['name'] as string
  const binding = bindingsIn(source).get(local)
  if (binding === undefined || !isOnlyOnce(source, local)) return undefined
  // What walks over the members of an object would find the native ones too.
  if (name !== undefined && !isReadByName(source, local)) return undefined
  const file = modules.imported(source, binding.from)
  if (file === undefined) return undefined
  if (binding.imported === '*') {
    if (name === undefined) return undefined
    const exported = memberOfModule(file, name)
    return exported && { exported, from: undefined }
  }
  const exported = importedFrom(file, binding.imported)
  if (name !== undefined) {
    const passed = followsPassed ? passedOn(file, exported, binding.imported, modules) : undefined
    const member = passed ? memberOfModule(passed, name) : exported && memberOf(exported, name)
    return member && { exported: member, from: undefined }
  }
  if (exported === undefined) return undefined
  const { site } = exported
  const isDefault = binding.imported === 'default'
  if (isDefault && !(site.kind === 'statement' && site.statement.type === 'ExportDefaultDeclaration'))
    return undefined
  return { exported, from: binding.from }
}

/** The names by which another file exports what one calls of it, with its member: `fail`, `users.show`; the first that it has counts. */
export function exportedNames(source: SourceFile, callee: Node): string[] {
  const object = isMember(callee) ? (callee['object'] as Node) : callee
  const member = isMember(callee) ? memberName(callee)! : undefined
  const imported = bindingsIn(source).get(object['name'] as string)?.imported ?? '*'
  const whole = member === undefined ? [] : [member]
  if (imported === '*') return whole
  const own = member === undefined ? imported : `${imported}.${member}`
  return imported === 'default' ? [own, ...whole] : [own]
}
