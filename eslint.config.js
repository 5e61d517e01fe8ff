import tseslint from 'typescript-eslint'

// Who may import whom (docs/architecture.md): a room imports only rooms that stand after it.
const rooms = [
  ['index', 'src/index.ts'],
  ['route-controllers', 'src/route-controllers.ts'],
  ['server', 'src/server.ts'],
  ['node', 'src/node/**'],
  ['dispatch', 'src/dispatch.ts'],
  ['controller', 'src/controller.ts'],
  ['chain', 'src/chain.ts'],
  ['request', 'src/request.ts'],
  ['response', 'src/response.ts'],
  ['body', 'src/body/**'],
  ['routing', 'src/routing/**'],
  ['errors', 'src/errors.ts'],
  ['types', 'src/types.ts'],
]

const importDirections = rooms.map(([name, files], position) => {
  const above = rooms.slice(0, position).map(([room]) => room)
  const upward = above.map((room) => `(^|/)${room}(\\.js|/)`).join('|')
  const patterns = upward
    ? [{ regex: upward, message: `${name} may import only what stands below it (docs/architecture.md).` }]
    : []
  // A type costs nothing at run time, but it is a dependency all the same: both are held to the direction.
  const builtins =
    name === 'node' || name === 'server'
      ? []
      : [{ regex: '^node:', allowTypeImports: true, message: 'Only src/node and src/server.ts may import node:*.' }]
  return {
    files: [files],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [...patterns, ...builtins] }] },
  }
})

export default tseslint.config(
  { ignores: ['dist', 'coverage'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-console': 'off',
    },
  },
  ...importDirections,
  {
    files: ['test/**/*.ts', 'examples/**/*.ts'],
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
