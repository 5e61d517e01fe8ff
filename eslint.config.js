import { isBuiltin } from 'node:module'
import { relative, resolve } from 'node:path'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

// Who may import whom (docs/architecture.md): a room of src imports only rooms that stand after it.
const rooms = [
  'express',
  'index',
  'route-controllers',
  'server',
  'node',
  'web',
  'dispatch',
  'profile',
  'controller',
  'chain',
  'async-context',
  'exchange',
  'answer-timer',
  'assignable',
  'request',
  'error-answer',
  'response',
  'sse',
  'streams',
  'body',
  'headers',
  'routing',
  'options',
  'log',
  'builtin',
  'errors',
  'types',
]
const roomsOnNode = ['express']

const src = resolve(import.meta.dirname, 'src')
const roomOf = (file) => relative(src, file).split(/[/\\.]/)[0]

// Our own rule, because `no-restricted-imports` knows neither `import()` nor where a relative path leads, and because
// its settings replace one another when two of them meet in a file.
const importDirection = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      unknown: 'src/{{ target }} is not among the rooms of eslint.config.js and docs/architecture.md.',
      upward:
        '{{ room }} may import only what stands below it; {{ target }} stands above (docs/architecture.md).',
      builtin:
        'Only {{ allowed }} may import {{ target }}, so that the core loads where there is no Node; take it from src/builtin.ts.',
      outside: 'src imports its own files and its dependencies, nothing else of the repository.',
    },
  },
  create(context) {
    const room = roomOf(context.filename)
    const position = rooms.indexOf(room)

    // A type costs nothing at run time, but it is a dependency all the same: types are held to the direction too.
    const check = (node) => {
      const source = (node.source ?? node.argument?.literal)?.value
      if (typeof source !== 'string') return
      const report = (messageId, target) =>
        context.report({ node, messageId, data: { room, target, allowed: roomsOnNode.join(' and ') } })

      if (isBuiltin(source)) {
        // A type does not stop the file from loading.
        const onlyType =
          node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type'
        if (!roomsOnNode.includes(room) && !onlyType) report('builtin', source)
      } else if (source.startsWith('.')) {
        const file = resolve(context.filename, '..', source)
        const target = rooms.indexOf(roomOf(file))
        if (relative(src, file).startsWith('..')) report('outside', source)
        else if (target === -1) report('unknown', roomOf(file))
        else if (target < position) report('upward', rooms[target])
      }
    }

    return {
      Program: (node) => {
        if (position === -1) context.report({ node, messageId: 'unknown', data: { target: room } })
      },
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    }
  },
}

export default defineConfig(
  globalIgnores(['dist', 'coverage', 'test/package/projects/environments']),
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      // What was caught is passed on as it is; it is not ours to wrap.
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { rooms: { rules: { 'import-direction': importDirection } } },
    rules: {
      'rooms/import-direction': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  {
    files: ['test/**/*.ts', 'examples/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },
)
