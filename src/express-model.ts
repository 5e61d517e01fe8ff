/**
 * How this package reads an app or a Router of Express: its layers, mounts, paths, and what a request would pass. Unstable: it is for
 * packages of the same version, as the command.
 *
 * @module routecontrollers/express-model
 */
export { checkedPath } from './express/engine/own-routes.js'
export { type App, type Handle, type Layer, type Route, type Router, appOf, handleOf, isApp, isRouter, layersFor, matchLayer, rememberHandle, routerOf, versionOf } from './express/model/express-router.js'
export { mayPass, needOfMount } from './express/model/may-pass.js'
export { type App as WholeApp, isApp as isWholeApp } from './express/model/router.js'
export { type LiveMount, type LiveRoute, type OpaqueLayer, type Reachable, type Witness, describedIn, endOf, ends, findMountWitness, findWitness, isOf, isOfMount, isSameAnswer, isSameWay, mayMeet, mountOf, reachableIn, shapeOf } from './express/model/routes.js'
export { samplePattern, tastes } from './express/model/sample.js'
export { noRouteText, routePattern } from './express/model/selection.js'
export { type Described, LayerIndex, type Step, type StepKind, describeFetchHandler, describeServing, isExpressOwn, isExpressOwnHandle, isMarked, takenBy, trace, traceBehind } from './express/model/trace.js'
export { sentByApp } from './express/take-over/sent-by-app.js'
