export { memoryStore } from './memory-store.js'
export { migration } from './migration.js'
export type * from './schema.js'
