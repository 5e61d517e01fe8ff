import express from 'express'
import express4 from 'express4'
import { isExpressOwn } from '../../src/express/model/initial-layers.js'
import { type ExpressVersion, type Layer, matchLayer, restOf } from '../../src/express/model/layer.js'
import { isMadeOf } from '../../src/express/model/matching.js'
import { readBack } from '../../src/express/model/read-back.js'

const makes = { 4: express4, 5: express } as const
const versions: ExpressVersion[] = [4, 5]

function layerOf(version: ExpressVersion, path: string | RegExp): Layer {
  const router = makes[version].Router()
  router.use(path, () => {})
  return (router as unknown as { stack: Layer[] }).stack[0]!
}

/** A layer as version 4.16 has made it: newer ones check what stands before a param. */
const ofVersion416 = (regexp: RegExp, ...names: string[]): Layer => ({
  ...layerOf(4, '/'),
  regexp,
  keys: names.map((name) => ({ name })),
})

describe('A layer', () => {
  it.each(versions)(
    'of Express %d has the params of a path, the part that it takes and the names',
    (version) => {
      const found = matchLayer(layerOf(version, '/a/:id'), '/a/7/rest')
      expect({ ...found, params: { ...found?.params } }).toEqual({
        params: { id: '7' },
        path: '/a/7',
        names: ['id'],
      })
      expect(matchLayer(layerOf(version, '/a/:id'), '/b/7')).toBeUndefined()
    },
  )

  it('of Express 5.0, which keeps on itself what it has found, has the names as texts', () => {
    const layer = {
      ...layerOf(5, '/'),
      match: () => true,
      params: { id: '7' },
      path: '/a/7',
      keys: ['id'],
    }
    expect(matchLayer(layer, '/a/7')).toEqual({ params: { id: '7' }, path: '/a/7', names: ['id'] })
  })

  it.each<[string | undefined, Layer]>([
    ['/a', layerOf(4, '/a')],
    ['/a/:id/b', layerOf(4, '/a/:id/b')],
    ['/a/:id', ofVersion416(/^\/a\/(?:([^/]+?))\/?(?=\/|$)/i, 'id')],
    ['/a:id', ofVersion416(/^\/a(?:([^/]+?))\/?(?=\/|$)/i, 'id')],
    [undefined, layerOf(4, /^\/a|b/)],
    // It has no regular expression.
    [undefined, layerOf(5, '/a')],
  ])('was made of the path %p', (path, layer) => {
    expect(readBack(layer)).toBe(path)
  })

  it('was not made of a path that Express refuses', () => {
    const isOutside = (): boolean => false
    const layer = layerOf(4, '/a')
    expect(['/a', '/b', '/a('].map((path) => isMadeOf[4](layer, path, isOutside))).toEqual([
      true,
      false,
      false,
    ])
  })

  it.each(versions)('leaves of a path what Express %d leaves', (version) => {
    const paths = ['/', '/a', '/a/', '/a/b', '/a.json', '/ab', '/b', '/x/a', '/x/a/b']
    const mounts = ['/a', /^\/a/, /a/]
    for (const mount of mounts) {
      for (const path of paths) {
        const router = makes[version].Router()
        let left: string | undefined
        router.use(mount, (req, _res, next) => {
          left = req.url
          next()
        })
        router({ method: 'GET', url: path } as never, {} as never, () => {})
        const match = matchLayer(layerOf(version, mount), path)
        expect([mount, path, match && restOf(version, path, match.path)]).toEqual([mount, path, left])
      }
    }
  })

  it.each(versions)('of Express %d itself is known behind a function that was put first', (version) => {
    const app = makes[version]() as unknown as {
      use(run: () => void): void
      lazyrouter?: () => void
      _router?: { stack: Layer[] }
      router: { stack: Layer[] }
    }
    app.use(function query() {})
    const { stack } = version === 4 ? app._router! : app.router
    stack.unshift(stack.pop()!)
    const own = stack.filter((layer) => isExpressOwn(layer, version, stack)).map(({ name }) => name)
    expect([stack[0]!.name, own]).toEqual(['query', version === 4 ? ['query', 'expressInit'] : []])
    expect(isExpressOwn(stack[0]!, version, stack)).toBe(false)
  })

  it('of Express 4 itself is known by its place where each function is wrapped', () => {
    const app = express4().use(() => {}) as unknown as { _router: { stack: Layer[] } }
    const { stack } = app._router
    for (const layer of stack) layer.handle = (...given: never[]) => given
    expect(stack.map((layer) => isExpressOwn(layer, 4, stack))).toEqual([true, true, false])
    // Behind another one it may be any function of that name.
    stack.unshift(stack.pop()!)
    expect(stack.map((layer) => isExpressOwn(layer, 4, stack))).toEqual([false, false, false])
  })
})
