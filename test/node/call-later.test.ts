import { callLater } from '../../src/ground/call-later.js'

describe('What is called later', () => {
  it('keeps no process alive', () => {
    const timer = callLater(() => {}, 60_000)
    expect(timer.hasRef()).toBe(false)
    clearTimeout(timer)
  })

  it('is called where a timer is a number, as in jsdom', () => {
    const started = jest.spyOn(globalThis, 'setTimeout').mockReturnValue(1 as never)
    const call = (): void => {}
    try {
      expect(callLater(call, 10)).toBe(1)
      expect(started.mock.calls).toEqual([[call, 10]])
    } finally {
      started.mockRestore()
    }
  })
})
