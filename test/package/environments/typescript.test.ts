import { runScript } from './environments.js'

// Declaration files are checked too: nobody has to set skipLibCheck.
describe.each(['5.4', '5.5', '5.9', '6', '7'])(
  'TypeScript %s compiles the types of the packed package',
  (version) => {
    it.each([
      ['nodenext', 'nodenext', ['shared.mts', 'shared.cts']],
      ['node16', 'node16', ['shared.mts', 'shared.cts']],
      ['bundler', 'esnext', ['shared.mts']],
    ])('with moduleResolution %s', (moduleResolution, module, files) => {
      runScript('.', `typescript${version}/bin/tsc`, [
        '--noEmit',
        '--strict',
        '--exactOptionalPropertyTypes',
        '--noUncheckedIndexedAccess',
        '--noPropertyAccessFromIndexSignature',
        '--target',
        'es2022',
        '--types',
        'node',
        '--module',
        module,
        '--moduleResolution',
        moduleResolution,
        ...files,
      ])
    })
  },
)
