/**
 * Moves each route of an Express app to its Controller while the server runs, and records traffic.
 *
 * @module @routecontrollers/switch
 */
export { environmentStore } from './stores/environment-store.js'
export { fileStore } from './stores/file-store.js'
export { memoryStore } from './stores/memory-store.js'
export { migration } from './migration.js'
export { type OpenFeatureClient, openFeatureStore } from './stores/open-feature-store.js'
export { recorder, type Recorder, type RecorderOptions } from './record/recorder.js'
export type { RecordedBody, RecordedExchange } from '../../compare/src/recording.js'
export {
  type RedisClient,
  type RedisScriptCall,
  redisStore,
  type RedisSubscriber,
  type RedisTransaction,
} from './stores/redis-store.js'
export type * from './states/schema.js'
