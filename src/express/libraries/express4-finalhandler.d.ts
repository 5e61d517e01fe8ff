/** finalhandler 1.3, whose pages are those of Express 4; typed as the release that Express 5 uses. */
declare module 'express4-finalhandler' {
  export { default } from 'finalhandler'
}
