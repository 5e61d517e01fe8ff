import express, { type Router } from 'express'
import express4 from 'express4'
import { mergeParams, type Params } from '../../src/express/model/params.js'

type Path = string | RegExp

/** The params that a route gets at its place inside of a mount, in a router with `mergeParams` or without. */
function seenBy(make: typeof express, paths: readonly [Path, Path], url: string, merge: boolean) {
  const seen: { mount: Params; route: Params } = { mount: {}, route: {} }
  const inner: Router = make.Router({ mergeParams: merge })
  inner.get(paths[1], (req) => void (seen.route = { ...(req.params as Params) }))
  const outer: Router = make.Router()
  outer.use(
    paths[0],
    (req, _res, next) => {
      seen.mount = { ...(req.params as Params) }
      next()
    },
    inner,
  )
  outer({ method: 'GET', url } as never, {} as never, (error: unknown) => {
    throw new Error(`No route has got ${url}`, { cause: error })
  })
  return seen
}

describe('Params of a router with mergeParams', () => {
  const versions = [
    ['4', express4],
    ['5', express],
  ] as const

  describe.each(versions)('are those of Express %s', (_version, make) => {
    it.each<[string, [Path, Path], string]>([
      ['by names', ['/:a', '/:b'], '/1/2'],
      ['of one name, where the inner one counts', ['/:a', '/:a'], '/1/2'],
      ['without names in the mount alone', [/^\/(\d)(\w)/, '/:b'], '/1a/2'],
      ['without names in the route alone', ['/:a', /^\/(\d)(\w)$/], '/1/2b'],
      ['without names, one and one', [/^\/(\d)/, /^\/(\d)$/], '/1/2'],
      ['without names, more in the mount', [/^\/(\d)(\w)/, /^\/(\d)$/], '/1a/2'],
      ['without names, more in the route', [/^\/(\d)/, /^\/(\d)(\w)(\w)$/], '/1/2bc'],
    ])('%s', (_what, paths, url) => {
      const { mount, route } = seenBy(make, paths, url, false)
      expect(mergeParams({ ...route }, mount)).toEqual(seenBy(make, paths, url, true).route)
    })
  })

  it('are its own where nothing stands around it', () => {
    expect(mergeParams({ id: '1' }, undefined)).toEqual({ id: '1' })
  })
})
