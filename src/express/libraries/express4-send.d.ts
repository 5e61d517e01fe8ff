/** send 0.19, whose table of media types is that of Express 4; typed as the release that Express 5 uses. */
declare module 'express4-send' {
  import type send from 'send'
  interface MediaTypes {
    lookup(path: string): string
    charsets: { lookup(type: string): string | undefined }
  }
  const send4: typeof send & { mime: MediaTypes }
  export default send4
}
