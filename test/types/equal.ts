// How the files of this folder compare types. Each of them compiles, or does not.

/** True for types that are the same, and not only assignable to each other. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles where both types are the same. */
export function expectType<T, U>(..._same: Equal<T, U> extends true ? [] : ['the types differ']): void {}

/** Compiles where the type is `true`. */
export function expectTrue<_T extends true>(): void {}
