// Which files of a project use what another one exports.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { SourceFile } from '../edit/source-file.js'
import { memberOf } from '../syntax/syntax.js'
import type { Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { lineAt, referencesOf } from './references.js'
import { isWhy, type Why } from './why.js'

/** A place where an exported value is used. */
export interface Use {
  readonly file: string
  readonly node: Node
}

/** The source files of a project, with what git does not ignore. */
export function sourceFilesOf(project: string): readonly string[] {
  const files = listedByGit(project) ?? listedIn(project)
  return files.filter((file) => /\.[cm]?[jt]sx?$/.test(file) && existsSync(file))
}

function listedByGit(project: string): readonly string[] | undefined {
  try {
    const parameters = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const options = { cwd: project, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 28 } as const
    const said = execFileSync('git', parameters, options)
    return said.split('\0').flatMap((name) => (name === '' ? [] : [join(project, name)]))
  } catch {
    return undefined
  }
}

function listedIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
    if (one.name === 'node_modules' || one.name.startsWith('.')) return []
    const path = join(folder, one.name)
    return one.isDirectory() ? listedIn(path) : [path]
  })
}

/** The first file that makes an OpenAPI document of what may be an app. */
export function documentIn(files: readonly string[]): string | undefined {
  return files.find((file) => {
    const text = readFileSync(file, 'utf8')
    return /(['"])routecontrollers\/openapi\1/.test(text) && ofApp.test(text)
  })
}

const ofApp = /\bopenApi(?:Controllers)?\((?!\s*new RouteControllers\b)/

/** Where the files of a project use what one of them exports by some names; a reason where that is not known. */
export function usesOf(
  file: string,
  exported: ReadonlySet<string>,
  { files, root, read }: UsingFiles,
): readonly Use[] | Why {
  const stem = stemOf(file)
  const uses: Use[] = []
  for (const other of files) {
    if (other === file) continue
    if (!readFileSync(other, 'utf8').includes(stem)) continue
    const source = read(other)
    if (typeof source === 'string') continue
    for (const { node, parent } of walk(source.program)) {
      const from = textIn(node)
      if (from === undefined || !leadsTo(file, other, from, isModuleName(node, parent))) continue
      const found = usesBy(source, node, parent, exported)
      if (isWhy(found)) {
        const line = lineAt(source, node.start)
        return { reason: `${relative(root, other)} ${found.reason}`, at: { file: other, line } }
      }
      uses.push(...found.map((one) => ({ file: other, node: one })))
    }
  }
  return uses
}

/** Where else a file may be used. */
export interface UsingFiles {
  readonly files: readonly string[]
  /** Shown paths are relative to it. */
  readonly root: string
  readonly read: (file: string) => SourceFile | string
}

function textIn(node: Node): string | undefined {
  if (node.type === 'StringLiteral') return node['value'] as string
  const [only, ...others] = (node.type === 'TemplateLiteral' ? node['quasis'] : []) as readonly Node[]
  if (only === undefined || others.length > 0) return undefined
  return (only['value'] as { cooked?: string }).cooked
}

/** The name of a file, or of the folder whose index it is. */
function stemOf(file: string): string {
  const [stem] = basename(file).split('.') as [string]
  return stem === 'index' ? basename(dirname(file)) : stem
}

const endings = ['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx']

/** True for a text that names a module where it stands: `import`, `require`, `jest.mock`. */
function isModuleName(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined) return false
  if (/^(?:Import|Export)\w+$|^TSExternalModuleReference$/.test(parent.type)) return true
  const callee = parent.type === 'CallExpression' ? (parent['callee'] as Node) : undefined
  const name = callee && (memberOf(callee)?.name ?? callee['name'])
  return typeof name === 'string' && /^(?:require|resolve|import)$|mock/i.test(name)
}

/** Whether a text names a file from another one; also true where the name of a module may do that. */
function leadsTo(file: string, other: string, from: string, isModule: boolean): boolean {
  if (/^(?:\.\.?(?:\/|$)|\/)/.test(from)) {
    const base = resolve(dirname(other), from)
    const bare = base.replace(/\.[cm]?jsx?$/, '')
    const stems = [base, bare, join(base, 'index')]
    return base === file || stems.some((one) => endings.some((end) => one + end === file))
  }
  if (!isModule || isBuiltin(from)) return false
  const parts = from.split('/').filter((part) => !/^index\b/.test(part))
  if (parts.at(-1)?.replace(/\.[cm]?[jt]sx?$/, '') !== stemOf(file)) return false
  // By an alias of package.json or of a compiler.
  try {
    const found = createRequire(other).resolve(from)
    return found === file || !/[\\/]node_modules[\\/]/.test(found)
  } catch {
    return true
  }
}

/** What a text that names the file makes of it. */
function usesBy(
  source: SourceFile,
  from: Node,
  parent: Node | undefined,
  exported: ReadonlySet<string>,
): readonly Node[] | Why {
  if (parent?.type === 'ImportDeclaration') {
    const specifiers = parent['specifiers'] as readonly Node[]
    return all(specifiers.map((one) => usesOfImport(source, one, exported)))
  }
  const callee = parent?.type === 'CallExpression' ? (parent['callee'] as Node) : undefined
  if (callee?.['name'] === 'require') return usesOfValue(source, parent!, exported)
  if (parent?.type === 'TSExternalModuleReference') {
    const declared = source.parentOf(parent)!['id'] as Node
    return usesOfName(source, String(declared['name']), exported)
  }
  if (parent && /^Export(?:All|Named)Declaration$/.test(parent.type)) return { reason: 'exports it too' }
  return { reason: `names ${String(textIn(from))} in another way than by an import` }
}

function usesOfImport(
  source: SourceFile,
  specifier: Node,
  exported: ReadonlySet<string>,
): readonly Node[] | Why {
  const local = String((specifier['local'] as Node)['name'])
  if (specifier.type === 'ImportNamespaceSpecifier') return usesOfMembers(source, local, exported)
  const { name, value } = (specifier['imported'] ?? {}) as { name?: string; value?: string }
  const imported = specifier.type === 'ImportDefaultSpecifier' ? 'default' : (name ?? value!)
  // The default of a CommonJS file is all that it exports.
  if (imported === 'default' && !exported.has('default')) return usesOfMembers(source, local, exported)
  return exported.has(imported) ? referencesOf(source, local) : []
}

/** Of what `require` gives. */
function usesOfValue(source: SourceFile, call: Node, exported: ReadonlySet<string>): readonly Node[] | Why {
  const parent = source.parentOf(call)
  if (parent?.type === 'VariableDeclarator') {
    const id = parent['id'] as Node
    if (id.type === 'Identifier') return usesOfName(source, String(id['name']), exported)
    if (id.type !== 'ObjectPattern') return { reason: 'takes it apart' }
    return all(
      (id['properties'] as readonly Node[]).map((one) => {
        const { name } = (one['key'] ?? {}) as { name?: string }
        const local = one['value'] as Node | undefined
        if (name === undefined || local?.type !== 'Identifier') return { reason: 'takes it apart' }
        return exported.has(name) ? referencesOf(source, String(local['name'])) : []
      }),
    )
  }
  const member = parent && memberOf(parent)
  if (member?.object === call) return exported.has(member.name) ? [parent!] : []
  return exported.has('*') ? [call] : { reason: 'uses all that it exports' }
}

function usesOfName(source: SourceFile, name: string, exported: ReadonlySet<string>): readonly Node[] | Why {
  return exported.has('*') ? referencesOf(source, name) : usesOfMembers(source, name, exported)
}

function usesOfMembers(
  source: SourceFile,
  name: string,
  exported: ReadonlySet<string>,
): readonly Node[] | Why {
  return all(
    referencesOf(source, name).map((reference) => {
      const parent = source.parentOf(reference)!
      const member = memberOf(parent)
      if (member?.object !== reference) return { reason: 'uses all that it exports' }
      return exported.has(member.name) ? [parent] : []
    }),
  )
}

function all(parts: readonly (readonly Node[] | Why)[]): readonly Node[] | Why {
  const why = parts.find(isWhy)
  return why ?? (parts as readonly (readonly Node[])[]).flat()
}
