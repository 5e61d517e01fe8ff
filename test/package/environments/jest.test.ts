import { runScript } from './environments.js'

describe.each([26, 29, 30])('With Jest %d and ts-jest, the packed package', (version) => {
  it.each([
    ['node', 'what Jest gives', {}, '(plain|beside)'],
    ['node', 'fetch and its classes', { WITH_FETCH: '1' }, 'use'],
    ['jsdom', 'what Jest gives', { JEST_DOM: '1' }, '(plain|beside)'],
    ['jsdom', 'fetch and its classes', { JEST_DOM: '1', WITH_FETCH: '1' }, 'use'],
  ])('works in the environment %s, with %s', (_name, _what, env, test) => {
    runScript(`jest${version}`, 'jest/bin/jest.js', ['--ci', '--config=../jest/config.js', test], env)
  })
})
