import { run, runScript } from './environments.js'

describe.each([
  ['Node 22', 'node22/bin/node', []],
  ['Node 24', 'node24/bin/node', []],
  ['Node 26', 'node26/bin/node', []],
  ['Bun', '.bin/bun', []],
  ['Deno', '.bin/deno', ['run', '--quiet', '--allow-all']],
])('In %s, the packed package', (_name, command, args) => {
  it.each([
    ['an ESM program', 'main.mjs'],
    ['a CommonJS program', 'main.cjs'],
    ['a TypeScript program as it is', 'main.mts'],
  ])('works for %s', (_what, file) => {
    expect(run(command, [...args, file])).toBe('used used\n')
  })
})

describe.each(['esm', 'cjs'])(
  'As one file that esbuild has made, in the format %s, the packed package',
  (format) => {
    const bundled = `bundled.${format === 'esm' ? 'mjs' : 'cjs'}`

    beforeAll(() => {
      run('.bin/esbuild', [
        'bundled.mjs',
        '--bundle',
        '--platform=node',
        `--format=${format}`,
        `--outfile=out/${bundled}`,
      ])
    })

    it.each([
      ['Node 24', 'node24/bin/node'],
      ['Bun', '.bin/bun'],
    ])('works in %s', (_name, command) => {
      expect(run(command, [`out/${bundled}`])).toBe('used used\n')
    })
  },
)

it('In workerd, the packed package works in one file, with the modules of Node and without', () => {
  run('.bin/esbuild', [
    'worker.mjs',
    '--bundle',
    // Finds no module of Node: whatever imported one would not be built.
    '--platform=neutral',
    '--main-fields=module,main',
    '--conditions=workerd,worker',
    '--format=esm',
    '--outfile=out/worker.mjs',
  ])
  expect(run('node24/bin/node', ['workerd.mjs', 'out/worker.mjs']).split('\n')).toEqual([
    '/hello/ada  200 {"hello":"ada"}',
    '/hello/ada nodejs_compat 200 {"hello":"ada"}',
    '/bound  200 ["Hello","203.0.113.7"]',
    '/uses  200 used',
    '/uses nodejs_compat 200 used',
    '',
  ])
})

it.each([
  ['Bun', '.bin/bun', []],
  ['Deno', '.bin/deno', ['run', '--quiet', '--allow-all']],
])(
  'Behind the server of %s, HEAD has the length of GET or none, and stop() ends event streams',
  (_name, command, args) => {
    expect(run(command, [...args, 'serves.mjs'])).toBe('lengths\nlengths\nstopped whole\n')
  },
)

it.each([
  ['Node 20', 'node20/bin/node', [], 'node:http'],
  ['Node 26', 'node26/bin/node', [], 'node:http'],
  ['Bun', '.bin/bun', [], 'Bun.serve'],
  ['Deno', '.bin/deno', ['run', '--quiet', '--allow-all'], 'Deno.serve'],
])(
  'In %s a Server takes the server of the runtime where it can, and stops alike',
  (_name, command, args, lane) => {
    const told = run(command, [...args, 'lanes.mjs']).split('\n')
    const isNode = lane === 'node:http'
    const because = (reason: string): string[] =>
      isNode ? [] : [`Server: node:http serves, and not ${lane}: ${reason}`]
    expect(told).toEqual([
      `${lane} ${!isNode} true`,
      '127.0.0.1',
      '::1',
      '{"tea":"Assam"}',
      'ERR_PORT_UNAVAILABLE',
      'ready: false',
      'slow',
      'after stop:  refused',
      '/slow cut',
      '/endless cut',
      'node:http',
      ...because('fallback'),
      'node:http',
      ...because('limits'),
      'node:http',
      ...because('trustProxy'),
      'node:http',
      ...because('hooks take the request of Node'),
      'node:http',
      '',
    ])
  },
)

it.each([
  ['Bun', '.bin/bun', []],
  ['Deno', '.bin/deno', ['run', '--quiet', '--allow-all']],
])(
  'By the entry for %s, callbacks find the address, and bodies are limited to the byte',
  (_name, command, args) => {
    const over = '413 The body has more than 1000 bytes'
    expect(run(command, [...args, 'entries.mjs']).split('\n')).toEqual([
      '["127.0.0.1",true]',
      '200 1000',
      over,
      '200 1000',
      over,
      '',
    ])
  },
)

it('In the adapters for cloud functions, the packed package answers, also where a body is not read', () => {
  expect(run('node24/bin/node', ['functions.mjs'])).toBe(
    'serverless-http answered\n@codegenie/serverless-express answered\n',
  )
})

it('With Vitest, the packed package works', () => {
  runScript('.', 'vitest/vitest.mjs', ['run', '--dir=vitest'])
})
