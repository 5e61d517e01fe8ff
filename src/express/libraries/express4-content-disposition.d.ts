/** content-disposition 0.5, which Express 4 writes with. */
declare module 'express4-content-disposition' {
  function contentDisposition(filename?: string): string
  export = contentDisposition
}
