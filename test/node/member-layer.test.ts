import { assignable, keep } from '../../src/ground/assignable.js'
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

it('What is taken off is gone, whatever of it was read, but not what somebody has put in place of a method', () => {
  const target = layered()
  Object.defineProperty(target, 'fixed', { value: 'mine', enumerable: false, configurable: true })
  restoreClass(target)
  expect([target.now, target.once, target.fixed]).toEqual([undefined, undefined, 'mine'])
})

it('It is put on once, and taken off only where it is on top', () => {
  const target = layered()
  const prototype: unknown = Object.getPrototypeOf(target)
  layer.addTo(target)
  expect(Object.getPrototypeOf(target)).toBe(prototype)
  const onTop = Object.create(prototype as object) as object
  Object.setPrototypeOf(target, onTop)
  for (const takeOff of [() => layer.removeFrom(target), () => restoreClass(target)]) {
    takeOff()
    expect([Object.getPrototypeOf(target), target.fixed]).toEqual([onTop, 'fixed'])
  }
})

it('An object that it was not put on stays as it is', () => {
  const target = new Host()
  for (const takeOff of [() => layer.removeFrom(target), () => restoreClass(target)]) {
    takeOff()
    expect([Object.getPrototypeOf(target), layer.isOn(target)]).toEqual([Host.prototype, false])
  }
})

it('Objects of one class share one prototype, and stay of their class', () => {
  const [one, other] = [layered(), layered()]
  expect(Object.getPrototypeOf(one)).toBe(Object.getPrototypeOf(other))
  expect(one).toBeInstanceOf(Host)
  class Another extends Host {}
  const another = new Another()
  layer.addTo(another)
  expect(another).toBeInstanceOf(Another)
  expect(Object.getPrototypeOf(another)).not.toBe(Object.getPrototypeOf(one))
})

it('Layers of several names stand on one object, and come off together', () => {
  const one = new MemberLayer('one', { a: { value: 'a' } })
  const two = new MemberLayer('two', { b: { value: 'b' } })
  const target = new Host() as Host & { a: unknown; b: unknown }
  one.addTo(target)
  expect([one.isOn(target), two.isOn(target)]).toEqual([true, false])
  two.addTo(target)
  expect([target.a, target.b, one.isOn(target), two.isOn(target)]).toEqual(['a', 'b', true, true])
  restoreClass(target)
  expect(Object.getPrototypeOf(target)).toBe(Host.prototype)
})

it('A layer that another copy of the package has put on is known by its name', () => {
  const [target, copy] = [layered(), new MemberLayer('test', {})]
  const prototype: unknown = Object.getPrototypeOf(target)
  copy.addTo(target)
  expect([copy.isOn(target), Object.getPrototypeOf(target)]).toEqual([true, prototype])
})

it('A class that is extended is made once, and is no layer that could be taken off twice', () => {
  const Extended = layer.extend(Host)
  expect(layer.extend(Host)).toBe(Extended)
  const target = new Extended() as Layered
  layer.addTo(target)
  expect([Object.getPrototypeOf(target), target.fixed]).toEqual([Extended.prototype, 'fixed'])
  expect([target.now, target.once, target.once]).toEqual([1, 2, 2])
  restoreClass(target)
  expect([Object.getPrototypeOf(target), target.once]).toEqual([Host.prototype, undefined])
})
