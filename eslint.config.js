import { isBuiltin } from 'node:module'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { defineConfig, globalIgnores } from 'eslint/config'
import ts from 'typescript'
import tseslint from 'typescript-eslint'

// Who may import whom (docs/architecture.md): the floors of each house, from the ground up. A room is a folder; the files beside the
// folders are the entry of the house, '.'. A room imports rooms of lower floors alone.
const floors = JSON.parse(readFileSync(new URL('scripts/floors.json', import.meta.url), 'utf8'))
// What packages take in from src when they are built: it keeps nothing. All else they import by the name of the package.
const bundled = ['ground', 'routing', 'body', 'answer']
// Entries that stand on another one.
const besides = ['src: express → .']
const onNode = ['packages/', 'src/express/', 'src/command.ts']

const root = import.meta.dirname
const housesByDepth = Object.keys(floors).sort((a, b) => b.length - a.length)

/** The house that a file stands in, and its room there. */
function placeOf(file, of = housesByDepth) {
  const path = relative(root, file).replaceAll('\\', '/')
  const house = of.find((one) => path.startsWith(`${one}/`))
  if (house === undefined) return undefined
  const [room, ...rest] = path.slice(house.length + 1).split('/')
  return { house, room: rest.length === 0 ? '.' : room }
}

const floorOf = ({ house, room }) => floors[house].findIndex((rooms) => rooms.includes(room))

// Our own rule, because `no-restricted-imports` knows neither `import()` nor where a relative path leads, and because
// its settings replace one another when two of them meet in a file.
const importDirection = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      unknown: '{{ target }} is not among the rooms of eslint.config.js and docs/architecture.md.',
      upward:
        '{{ room }} may import only rooms of lower floors; {{ target }} is none (docs/architecture.md).',
      builtin:
        'Only {{ allowed }} may import {{ target }}, so that the core loads where there is no Node; take it from src/ground/builtin.ts.',
      http: 'An ES module that imports node:http has Node load fetch and WebSocket; take it from src/ground/builtin.ts.',
      outside: 'A house imports its own files, its dependencies and {{ allowed }}.',
    },
  },
  create(context) {
    const { filename } = context
    const path = relative(root, filename).replaceAll('\\', '/')

    // A type costs nothing at run time, but it is a dependency all the same: types are held to the direction too.
    const check = (node) => {
      const source = (node.source ?? node.argument?.literal)?.value
      if (typeof source !== 'string') return
      const report = (messageId, data) => context.report({ node, messageId, data })
      if (isBuiltin(source)) {
        // A type does not stop the file from loading.
        const onlyType =
          node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type'
        if (!onNode.some((house) => path.startsWith(house)) && !onlyType) {
          report('builtin', { target: source, allowed: onNode.join(' and ') })
        } else if (source === 'node:http' && path.startsWith('src/') && !onlyType) report('http')
        return
      }
      if (!source.startsWith('.')) return
      const file = resolve(filename, '..', source)
      // In the innermost house that holds both.
      const shared = housesByDepth.filter((house) =>
        [filename, file].every((one) => one.startsWith(`${resolve(root, house)}/`)),
      )
      if (shared.length === 0) {
        const target = placeOf(file)
        const isShared =
          path.startsWith('packages/') &&
          (target?.house === 'packages/compare/src' ||
            (target?.house === 'src' && bundled.includes(target.room)))
        if (!isShared) report('outside', { allowed: `packages/compare and ${bundled.join(' and ')} of src` })
        return
      }
      const [from, to] = [filename, file].map((one) => placeOf(one, shared))
      if (from.room === to.room) return
      const [above, below] = [from, to].map(floorOf)
      if (below === -1) report('unknown', { target: `${to.house}/${to.room}` })
      else if (below >= above && !besides.includes(`${from.house}: ${from.room} → ${to.room}`)) {
        report('upward', { room: `${from.house}/${from.room}`, target: `${to.house}/${to.room}` })
      }
    }

    return {
      Program: (node) => {
        const place = placeOf(filename)
        if (place === undefined || floorOf(place) === -1) {
          context.report({ node, messageId: 'unknown', data: { target: path } })
        }
      },
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    }
  },
}

const imported = new Map()

/** The files of src that a file imports, types included. */
function importsOf(file) {
  if (!imported.has(file)) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const sources = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    const files = sources.map(([, source]) => resolve(dirname(file), source).replace(/\.js$/, '.ts'))
    imported.set(file, files)
  }
  return imported.get(file)
}

/** The imports by which a file leads back to itself; undefined where they do not. */
function circleOf(start) {
  const seen = new Set()
  const walk = (file, path) => {
    for (const next of importsOf(file)) {
      if (next === start) return path
      if (seen.has(next)) continue
      seen.add(next)
      const found = walk(next, [...path, next])
      if (found !== undefined) return found
    }
    return undefined
  }
  return walk(start, [start])
}

// A circle of types costs nothing at run time, but neither file can be read without the other.
const noCircle = {
  meta: { type: 'problem', schema: [], messages: { circle: 'An import circle: {{ path }}.' } },
  create: (context) => ({
    Program(node) {
      const circle = circleOf(context.filename)
      const path = circle?.map((file) => relative(root, file)).join(' → ')
      if (circle !== undefined) context.report({ node, messageId: 'circle', data: { path } })
    },
  }),
}

// A member that is read by a text from outside may be one of Object.prototype: `answer['constructor']` is there in each object.
// What types can say of it: the key is any text, and the object is neither a list nor made of keys that stand in the code.
const ownKeys = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      own: 'The key may come from outside, as `constructor`: read it from a Map, by Object.entries, or after Object.hasOwn.',
    },
  },
  create(context) {
    const services = context.sourceCode.parserServices
    const checker = services.program.getTypeChecker()
    const partsOf = (type) => (type.isUnion() ? type.types : [type])
    const isAnyText = (type) =>
      partsOf(type).some(
        ({ flags }) =>
          (flags & (ts.TypeFlags.String | ts.TypeFlags.Any | ts.TypeFlags.TemplateLiteral)) !== 0,
      )
    const isText = (type) => (type.flags & ts.TypeFlags.StringLike) !== 0
    const isList = (type) =>
      checker.isArrayType(type) ||
      checker.isTupleType(type) ||
      isText(type) ||
      type.getProperty('BYTES_PER_ELEMENT') !== undefined
    const textOf = (node) => context.sourceCode.getText(node)
    // `Object.hasOwn(object, key) ? object[key] : …`, and the same with `&&`.
    const isAsked = ({ object, property }, node) => {
      const asked = `Object.hasOwn(${textOf(object)}, ${textOf(property)})`
      for (let one = node; one !== null; one = one.parent) {
        const test =
          one.type === 'ConditionalExpression'
            ? one.test
            : one.type === 'LogicalExpression'
              ? one.left
              : undefined
        if (test !== undefined && textOf(test).includes(asked)) return true
      }
      return false
    }
    return {
      'MemberExpression[computed=true]'(node) {
        if (!isAnyText(services.getTypeAtLocation(node.property))) return
        // It makes texts of all that is put into it.
        if (textOf(node.object) === 'process.env' || isAsked(node, node)) return
        const object = checker.getNonNullableType(services.getTypeAtLocation(node.object))
        if (!partsOf(object).every(isList)) context.report({ node, messageId: 'own' })
      },
      // `const { [key]: value } = answer`
      'ObjectPattern > Property[computed=true]'(node) {
        if (isAnyText(services.getTypeAtLocation(node.key))) context.report({ node, messageId: 'own' })
      },
    }
  },
}

export default defineConfig(
  globalIgnores([
    '**/dist',
    'coverage',
    'test/package/projects/environments',
    'test/migrate/move/*/*',
    'test/migrate/{fixtures,group}/*/*',
    'test/migrate/move/all.mts',
    'test/migrate/lift/pairs',
    'test/migrate/moved-shop',
  ]),
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json', './packages/switch/src/page/browser/tsconfig.json'] },
    },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      // What was caught is passed on as it is; it is not ours to wrap.
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
    },
  },
  {
    files: ['src/**/*.ts', 'packages/*/src/**/*.ts'],
    ignores: ['packages/switch/src/page/browser/**'],
    plugins: { modules: { rules: { 'import-direction': importDirection, 'no-circle': noCircle } } },
    rules: {
      'modules/import-direction': 'error',
      'modules/no-circle': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      // `{}` is what no middleware and no schema adds.
      '@typescript-eslint/no-empty-object-type': ['error', { allowObjectTypes: 'always' }],
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  {
    // What runs for each request.
    files: [
      'src/{node,web,express,body}/**/*.ts',
      'src/run/{dispatch,controller-run}.ts',
      'packages/switch/src/**/*.ts',
    ],
    rules: {
      // V8 allocates such a function among its old objects, where it keeps all that it uses, so mostly a whole request, until
      // the next full collection: the collections of young objects then take twice as long.
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':function AssignmentExpression[left.type="MemberExpression"] > :matches(ArrowFunctionExpression, FunctionExpression).right',
          message: 'Name the function first, then assign it: as a literal it keeps its request in memory.',
        },
      ],
    },
  },
  {
    // What reads answers, requests and recordings. The maps of keeper.ts have no prototype.
    files: ['packages/{compare,switch}/src/**/*.ts', 'packages/cli/src/replay/*.ts'],
    ignores: ['packages/switch/src/stores/keeper.ts', 'packages/switch/src/page/browser/**'],
    plugins: { objects: { rules: { 'own-keys': ownKeys } } },
    rules: { 'objects/own-keys': 'error' },
  },
  {
    files: ['test/**/*.ts', 'examples/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-empty-object-type': ['error', { allowObjectTypes: 'always' }],
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },
)
