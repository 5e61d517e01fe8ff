import { PathIndex } from '../../src/express/model/path-index.js'
import { type Shape, shapeOfPath } from '../../src/express/model/shape.js'

/** Which shapes a path may be of, tried one after the other. */
function tried(shapes: readonly Shape[], path: string): number[] {
  const asked = path.slice(1).split('/')
  const fits = ({ segments, open }: Shape): boolean =>
    (open ? asked.length >= segments.length : asked.length === segments.length) &&
    segments.every((segment, at) => segment === null || segment === asked[at])
  return [...shapes.keys()].filter((at) => fits(shapes[at]!))
}

it('an index of paths answers right when it is asked for more combinations than it keeps', () => {
  const names = Array.from({ length: 20 }, (_, at) => `n${at}`)
  const paths = names.flatMap((name) => [`/${name}/:y/:z`, `/:x/${name}/:z`, `/:x/:y/${name}`])
  const shapes = [...paths, ...Array<undefined>(50).fill(undefined)].map((path) =>
    shapeOfPath(5, path, path !== undefined),
  )
  let made = 0
  const make = (chosen: readonly number[]): readonly number[] => {
    made++
    return chosen
  }
  const index = new PathIndex(shapes, make, 30_000)
  for (let round = 0; round < 2; round++) {
    for (const a of names) {
      for (const b of names) {
        for (const c of names.slice(0, 3)) {
          const path = `/${a}/${b}/${c}`
          expect([path, index.of(path)]).toEqual([path, tried(shapes, path)])
        }
      }
    }
  }
  // Else it would have kept 1 200 choices of more than 50 patterns each.
  expect(made).toBeGreaterThan(1_200)
})
