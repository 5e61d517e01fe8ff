/** content-type 1, which Express 4 reads strictly with; typed as the release that Express 5 uses. */
declare module 'express4-content-type' {
  export { format, parse } from 'content-type'
}
