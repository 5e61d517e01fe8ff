import { FunctionReader } from '../../packages/cli/src/inspect/functions.js'

it('a function wraps another one through fifty others at the most, and a circle of them is no end', () => {
  const reader = new FunctionReader()
  try {
    const inner = (): number => 7
    const wrapped = (count: number): (() => number) => {
      let run = inner
      for (let at = 0; at < count; at++) {
        const own = run
        run = () => own()
      }
      return run
    }
    expect([
      reader.wraps(wrapped(3) as never, inner as never),
      reader.wraps(inner as never, inner as never),
    ]).toEqual([...[true, true]])
    expect(reader.wraps(wrapped(49) as never, inner as never)).toBe(true)
    expect(reader.wraps(wrapped(60) as never, inner as never)).toBe(false)
    const one = (): unknown => other
    const other = (): unknown => one
    expect(reader.wraps(one as never, inner as never)).toBe(false)
  } finally {
    reader.close()
  }
})

describe('the functions that a function names', () => {
  const namedBy = (run: () => unknown): readonly string[] => {
    const reader = new FunctionReader()
    try {
      return reader.keptBy(run as never).map(({ name }) => name)
    } finally {
      reader.close()
    }
  }
  const first = (): number => 1
  const größe = (): number => 2

  it('are those of all scopes around it, and no member or part of a longer name', () => {
    const inner = (): number => 3
    const other = { first: 1 }
    const firsts = 2
    const run = (): unknown => [inner(), größe(), other.first, firsts]
    expect(namedBy(run)).toEqual(['inner', 'größe'])
    expect(namedBy(() => [first, other, firsts])).toEqual(['first'])
  })

  it('are those that are there: a declaration that has not run yet has none', () => {
    const run = (): unknown => [first, later]
    const found = namedBy(run)
    const later = (): number => 4
    expect([found, namedBy(run)]).toEqual([['first'], ['later', 'first']])
  })

  it('are found without a getter that with() brings in', () => {
    // A module is strict, and has no `with`.
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const made = new Function('of', 'with (of) return () => asked') as (of: object) => () => unknown
    const asked = jest.fn(() => first)
    expect([
      namedBy(
        made({
          get asked() {
            return asked()
          },
        }),
      ),
      asked.mock.calls,
    ]).toEqual([[], []])
    expect(namedBy(made({ asked: first }))).toEqual(['first'])
  })
})
