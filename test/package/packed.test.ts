import { join } from 'node:path'
import { createProject, root } from './project.js'

describe('The packed package', () => {
  it('works in an ESM project', () => {
    expect(createProject().node('esm/main.mjs')).toBe('used\n')
  })

  it('works in a CommonJS project', () => {
    expect(createProject().node('cjs/main.cjs')).toBe('used\n')
  })

  it('works where an ESM copy and a CommonJS copy of it meet', () => {
    expect(createProject().node('esm/both.mjs')).toBe('used\n')
  })

  it('works in a project that is tested with Jest', () => {
    createProject(['express']).node(join(root, 'node_modules/jest/bin/jest.js'), '--rootDir=jest', '--ci')
  })

  it('brings its types to ESM and to CommonJS, and infers params', () => {
    // Every declaration file of the package is checked too: the project does not set skipLibCheck.
    const project = createProject(['@types/node'])
    project.node(join(root, 'node_modules/typescript/bin/tsc'), '-p', 'types')
  })
})
