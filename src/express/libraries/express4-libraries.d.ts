// The releases that Express 4 uses; what is called of them is typed as in those that Express 5 uses.
declare module 'express4-accepts' {
  export { default } from 'accepts'
}
declare module 'express4-fresh' {
  export { default } from 'fresh'
}
declare module 'express4-range-parser' {
  export { default } from 'range-parser'
}
declare module 'express4-type-is' {
  export { default } from 'type-is'
}
