/**
 * How this package reads an app or a Router of Express: its layers, mounts, paths, and what a request would pass. Unstable: it is for
 * packages of the same version, as the command.
 *
 * @module routecontrollers/express-model
 */
export { checkedPath } from './engine/own-routes.js'
export { isExpressOwn, isExpressOwnHandle } from './model/initial-layers.js'
export {
  type ExpressVersion,
  type Handle,
  type Layer,
  type Route,
  formerHandleOf,
  handleOf,
  layersFor,
  matchLayer,
  rememberHandle,
  runBy,
} from './model/layer.js'
export { countWrapped, mayPass, needOfMount } from './model/may-pass.js'
export { appOf, routerBehind } from './model/mounted-app.js'
export { type App, type Router, isApp, isRouter, routerOf, versionOf } from './model/router.js'
export {
  type LiveMount,
  type LiveRoute,
  type OpaqueLayer,
  type Reachable,
  type Witness,
  describedIn,
  endOf,
  ends,
  findMountWitness,
  findWitness,
  isOf,
  isOfMount,
  isSameAnswer,
  isSameWay,
  mayMeet,
  mountOf,
  reachableIn,
  shapeOf,
} from './model/routes.js'
export { nativeAmong } from './model/native-layer.js'
export {
  type NativeSwitch,
  type Place,
  type PlacedNative,
  type Switched,
  decideNatives,
  nativesOf,
  placesOf,
  switchNatives,
} from './model/placed.js'
export { candidatePath, tastes } from './model/candidate-path.js'
export { noRouteText, routePattern } from './model/selection.js'
export {
  LayerIndex,
  type Step,
  type StepKind,
  errorHandlersBehind,
  isMarked,
  layersWith,
  stepsOfNative,
  takenBy,
  takenRoute,
  trace,
  traceBehind,
} from './model/trace.js'
export { expressVersions } from './model/versions.js'
export { sentByApp } from './take-over/sent-by-app.js'
