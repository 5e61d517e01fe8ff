const layerKey = Symbol.for('routecontrollers.layer')

/**
 * Members that are added to objects of another package's class, and removed again.
 *
 * They stand on a prototype between the object and its class, made once per class. On a request of Express this takes 2 µs. To
 * define eight members on the object itself takes 20, because V8 gives up the object's fast form. A class that has them from the
 * beginning is better still. V8 of Node 20 makes a separate shape for each object whose prototype changes, which slows every
 * access (four hooks: 114 µs instead of 39).
 */
export class MemberLayer {
  readonly #members: PropertyDescriptorMap
  readonly #brand: symbol
  readonly #layers = new WeakMap<object, object>()
  readonly #classes = new WeakMap<object, object>()

  constructor(name: string, members: PropertyDescriptorMap) {
    this.#brand = Symbol.for(`routecontrollers.${name}`)
    this.#members = members
  }

  isOn(target: object): boolean {
    return this.#brand in target
  }

  /** Notes on a prototype that its objects have the members already. */
  mark(prototype: object): void {
    Object.defineProperty(prototype, this.#brand, { value: true })
  }

  addTo(target: object): void {
    if (this.isOn(target)) return
    const prototype = Object.getPrototypeOf(target) as object
    let layer = this.#layers.get(prototype)
    if (layer === undefined) {
      layer = Object.create(prototype, this.#descriptors()) as object
      this.#layers.set(prototype, layer)
    }
    Object.setPrototypeOf(target, layer)
  }

  /** Puts the members on the prototype of a class. */
  define(prototype: object): void {
    Object.defineProperties(prototype, this.#descriptors())
  }

  /** Makes a prototype that `restoreClass` removes. The object then has the prototype `original`. */
  static removable(prototype: object, original: object): void {
    const value = { removeFrom: (target: object) => void Object.setPrototypeOf(target, original) }
    Object.defineProperty(prototype, layerKey, { value })
  }

  /** Removes the members, and what was computed for them. A value that was assigned stays. */
  removeFrom(target: object): void {
    const layer = Object.getPrototypeOf(target) as object
    if (!Object.hasOwn(layer, this.#brand)) return
    Object.setPrototypeOf(target, Object.getPrototypeOf(layer) as object)
    for (const name of Object.keys(this.#members)) {
      if (this.#members[name]!.get === undefined) continue
      // What a getter has kept is not enumerable; what was assigned is.
      if (Object.getOwnPropertyDescriptor(target, name)?.enumerable === false)
        Reflect.deleteProperty(target, name)
    }
  }

  /** The class of the same kind whose objects have the members from the beginning. */
  extend<C extends abstract new (...parameters: never[]) => object>(Class: C): C {
    let Extended = this.#classes.get(Class)
    if (Extended === undefined) {
      const Layered = class extends (Class as unknown as new () => object) {}
      this.define(Layered.prototype)
      this.#classes.set(Class, (Extended = Layered))
    }
    return Extended as C
  }

  #descriptors(): PropertyDescriptorMap {
    return {
      ...this.#members,
      [this.#brand]: { value: true },
      [layerKey]: { value: this, configurable: true },
    }
  }
}

/** Removes all layers on top of an object, so that it has the class that its host has given it. */
export function restoreClass(target: object): void {
  for (;;) {
    const top = Object.getPrototypeOf(target) as { [layerKey]?: Pick<MemberLayer, 'removeFrom'> }
    if (!Object.hasOwn(top, layerKey)) return
    top[layerKey]!.removeFrom(target)
  }
}
