/** cookie 0.7, which both versions of Express write with. */
declare module 'express-cookie' {
  export function serialize(name: string, value: string, options: object): string
}
