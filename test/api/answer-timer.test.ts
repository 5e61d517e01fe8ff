import { AnswerTimer } from '../../src/answer/answer-timer.js'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

it('waits for the whole of its time from when it was started last, and once', () => {
  let expired = 0
  const timer = new AnswerTimer(1000, () => expired++)
  timer.start()
  jest.advanceTimersByTime(900)
  timer.start()
  jest.advanceTimersByTime(999)
  expect([expired, timer.expired]).toEqual([0, false])
  jest.advanceTimersByTime(1)
  expect([expired, timer.expired]).toEqual([1, true])
  jest.advanceTimersByTime(10_000)
  expect(expired).toBe(1)
})

it('leaves no timer once it was stopped, however often it was started', () => {
  let expired = 0
  const timer = new AnswerTimer(1000, () => expired++)
  for (const _time of [1, 2, 3]) timer.start()
  timer.stop()
  expect(jest.getTimerCount()).toBe(0)
  timer.stop()
  timer.start()
  jest.advanceTimersByTime(1000)
  expect(expired).toBe(1)
})

it('does not start again once it has ended', () => {
  const timer = new AnswerTimer(1000, () => {})
  timer.start()
  timer.end()
  timer.start()
  expect(jest.getTimerCount()).toBe(0)
})
