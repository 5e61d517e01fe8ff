// Express 4, installed beside 5; what the tests call of it is typed alike.
declare module 'express4' {
  export { default } from 'express'
}
