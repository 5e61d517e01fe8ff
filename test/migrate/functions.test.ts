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
