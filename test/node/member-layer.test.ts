import { assignable, keep } from '../../src/assignable.js'
import { MemberLayer, restoreClass } from '../../src/node/member-layer.js'

class Host {
  own = 'own'
}
type Layered = Host & { now: unknown; once: unknown; fixed: unknown }

let computed = 0
const layer = new MemberLayer('test', {
  now: assignable<object>('now', () => ++computed),
  once: assignable<object>('once', function () {
    return keep(this, 'once', ++computed)
  }),
  fixed: { value: 'fixed', writable: true, configurable: true },
})

const layered = (): Layered => {
  const target = new Host()
  layer.addTo(target)
  return target as Layered
}

beforeEach(() => {
  computed = 0
})

it('A member is computed at each reading, or once where it is kept, and neither is enumerable', () => {
  const target = layered()
  expect([target.now, target.now, target.once, target.once, target.fixed]).toEqual([1, 2, 3, 3, 'fixed'])
  expect(Object.keys(target)).toEqual(['own'])
})

it('What is assigned is an ordinary property, of this object alone', () => {
  const [target, other] = [layered(), layered()]
  Object.assign(target, { now: 'a', once: 'b', fixed: 'c' })
  expect({ ...target }).toEqual({ own: 'own', now: 'a', once: 'b', fixed: 'c' })
  target.now = 'd'
  expect([target.now, other.now, other.fixed]).toEqual(['d', 1, 'fixed'])
})

it('What is taken off leaves what was assigned, and nothing that was computed', () => {
  const target = layered()
  expect(target.once).toBe(1)
  target.now = 'mine'
  restoreClass(target)
  expect({ ...target }).toEqual({ own: 'own', now: 'mine' })
  expect([target.once, layer.isOn(target), Object.getPrototypeOf(target)]).toEqual([
    undefined,
    false,
    Host.prototype,
  ])
})

it('It is put on once, and taken off only where it is on top', () => {
  const target = layered()
  const prototype: unknown = Object.getPrototypeOf(target)
  layer.addTo(target)
  expect(Object.getPrototypeOf(target)).toBe(prototype)
  Object.setPrototypeOf(target, Object.create(prototype as object) as object)
  layer.removeFrom(target)
  expect(target.fixed).toBe('fixed')
})

it('A class that is extended is made once, and is no layer that could be taken off twice', () => {
  const Extended = layer.extend(Host)
  expect(layer.extend(Host)).toBe(Extended)
  const target = new Extended() as Layered
  layer.addTo(target)
  expect([Object.getPrototypeOf(target), target.fixed]).toEqual([Extended.prototype, 'fixed'])
})
