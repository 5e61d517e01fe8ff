import express, { type Router } from 'express'
import express4 from 'express4'
import {
  candidateOfRegExp,
  candidatePath4,
  candidatePath5,
  type Taste,
  tastes,
} from '../../src/express/model/candidate-path.js'

const router4 = (): Router => express4.Router()
const router5 = (): Router => express.Router()

/** What an Express takes of the paths that are made for a pattern, one for each taste. */
function matched(router: Router, pattern: string, make: (pattern: string, taste: Taste) => string): string[] {
  let isMatched = false
  router.get(pattern, () => {
    isMatched = true
  })
  return tastes
    .map((taste) => make(pattern, taste))
    .filter((url) => {
      isMatched = false
      router(
        { method: 'GET', url: url.replace(/[^!-~]/gu, encodeURIComponent) } as never,
        {} as never,
        () => {},
      )
      return isMatched
    })
}

describe('A path that is made of a pattern', () => {
  it.each([
    '/a/:id',
    '/:é',
    '/:"a b"/x',
    '/*rest',
    '/a\\:b',
    '/a{/:id}',
    '/a{/:id{/:other}}',
    '/a{/:id{/:other}/x}/y',
    '/a{\\{b\\}}/c',
    '/a{/b\\}c}/d',
  ])('is matched by Express 5, of %s in every taste', (pattern) => {
    expect(matched(router5(), pattern, candidatePath5)).toHaveLength(tastes.length)
  })

  it.each([
    ['/:"a b"/x', '/ab-1/x'],
    ['/:"a\\"b"', '/ab-1'],
    ['/:id.:format', '/id-1.format-1'],
    ['/files/*rest', '/files/rest-1'],
  ])('has the names of the params, as a reader would write it: %s', (pattern, path) => {
    expect(candidatePath5(pattern, tastes[0]!)).toBe(path)
  })

  it.each(['/a/:id', '/a/:id?', '/ab?c', '/a/*', '/:id(\\d+)', '/:kind(tea|cake)', '/a+b', '/(a)'])(
    'is matched by Express 4, of %s in every taste',
    (pattern) => {
      expect(matched(router4(), pattern, candidatePath4)).toHaveLength(tastes.length)
    },
  )

  it.each([
    [/^\/a(?:b|c)?$/, []],
    [/^\/(?<year>\d{4})$/, []],
    [/^\/(?!x)[a-z]+\.json$/, []],
    [/^\/(\w+)\/(\d+)$/, ['name', 'id']],
    [/^\/[^\]a]x$/, []],
  ])('is matched by %p with what is optional', (regexp, names) => {
    for (const taste of tastes.filter(({ withOptional }) => withOptional)) {
      expect(candidateOfRegExp(regexp, names, taste)).toMatch(regexp)
    }
  })

  it('has some character of a class of which none is known', () => {
    expect(candidateOfRegExp(/^\/[é]$/, [], tastes[0]!)).toBe('/x')
  })
})
