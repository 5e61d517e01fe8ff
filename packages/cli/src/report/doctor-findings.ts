// What is said of the findings of `doctor`: one entry for each code.
import type { ExpressVersion } from 'routecontrollers/express-model'
import type { DoctorCode, DoctorFinding, DoctorFound, DoctorKind } from '../documents/doctor.js'
import type { Severity } from '../documents/finding.js'
import { count } from '../terminal/text.js'
import { opaqueText, titleOf } from './inspect-findings.js'

interface Entry<C extends DoctorCode> {
  readonly kind: DoctorKind
  readonly title: string
  readonly severity: Severity
  readonly message: (found: DoctorFound<C>) => string
  readonly remedy: (found: DoctorFound<C>) => string
}

const supported: Readonly<Record<ExpressVersion, string>> = { 4: '4.17 and newer of 4', 5: '5' }

const mostNamed = 5

const doctorFindings: { readonly [C in DoctorCode]: Entry<C> } = {
  express: {
    kind: 'express',
    title: 'The version of Express is not supported',
    severity: 'error',
    message: ({ version }) =>
      `Express ${version} is installed; ${Object.values(supported).join(', and ')}, are supported`,
    remedy: ({ isTooOld }) =>
      isTooOld
        ? 'npm install express@4, which is compatible with earlier versions of 4'
        : `npm install express@${Object.keys(supported).at(-1)}`,
  },
  'node-engines': {
    kind: 'node',
    title: 'package.json allows versions of Node that are too old',
    severity: 'warning',
    message: ({ range, least }) => `package.json allows Node ${range}; this package needs ${least} or newer`,
    remedy: ({ least }) =>
      `run it with Node ${least} or newer, and write that: "engines": { "node": ">=20.19" }`,
  },
  'node-version': {
    kind: 'node',
    title: 'The version of Node is too old',
    severity: 'error',
    message: ({ version, least }) => `Node ${version} runs the app; this package needs ${least} or newer`,
    remedy: ({ least }) => `run it with Node ${least} or newer`,
  },
  typescript: {
    kind: 'typescript',
    title: 'The version of TypeScript is too old',
    severity: 'warning',
    message: ({ version }) =>
      `TypeScript ${version} is installed; the declarations are tested with 5.4 and newer`,
    remedy: ({ skipsLibCheck }) =>
      skipsLibCheck
        ? 'npm install --save-dev typescript@5, unless it compiles as it is'
        : 'npm install --save-dev typescript@5, or set skipLibCheck and see whether it compiles',
  },
  'types-node': {
    kind: 'typescript',
    title: 'The version of @types/node is too old',
    severity: 'warning',
    message: ({ version, least }) =>
      `${version === null ? '@types/node is not installed' : `@types/node ${version} is installed`}; the declarations need ${least} or newer`,
    remedy: () => 'npm install --save-dev @types/node@20, or set skipLibCheck in tsconfig.json',
  },
  'jest-version': {
    kind: 'jest',
    title: 'The version of Jest is too old',
    severity: 'warning',
    message: ({ version }) => `Jest ${version} leaves its tests without Request, Response and fetch`,
    remedy: () =>
      'npm install --save-dev jest@30, or give them back in an environment of your own. Tests over a socket, as supertest makes them, need none of them',
  },
  'jest-jsdom': {
    kind: 'jest',
    title: 'Jest runs tests in jsdom',
    severity: 'warning',
    message: () => 'Jest runs tests in jsdom, which has no Request, Response and fetch of Node',
    remedy: () =>
      "testEnvironment: 'node', or /** @jest-environment node */ at the top of the tests of the server",
  },
  agent: {
    kind: 'agent',
    title: 'An agent watches the routes of Express',
    severity: 'warning',
    message: ({ packages }) =>
      `${packages.join(', ')}: ${packages.length === 1 ? 'it watches' : 'they watch'} the routes of Express by wrapping its layers`,
    remedy: () =>
      'load it before everything else (node --require, or --import), and give RouteControllers a profile: Express runs the Controllers then, and their routes keep their names. Without a profile subscribe to the channel routecontrollers.request',
  },
  wrapped: {
    kind: 'wrapped',
    title: 'Layers of Express are wrapped',
    severity: 'warning',
    message: ({ by, layers }) => `${by} has wrapped ${count(layers, 'layer')} of Express`,
    remedy: ({ by }) =>
      by === 'express-async-errors'
        ? 'leave it until all has moved: toControllers(app) and profile: fromApp(app) run layers through their wrapper. Controllers need it not: a rejection is an error in every way of serving'
        : 'toControllers(app) and profile: fromApp(app) run layers through their wrapper; what a wrapper hides stands in left, and only the app serves it',
  },
  patched: {
    kind: 'patched',
    title: 'Members were put on Express itself',
    severity: 'warning',
    message: ({ members }) => `${members.join(', ')}: put on Express itself`,
    remedy: () =>
      'handlers that use them move with fromExpress and profile: fromApp(app), which has them; req and res of native callbacks do not',
  },
  late: {
    kind: 'late',
    title: 'Routes are registered after the server listens',
    severity: 'warning',
    message: ({ registrations }) => `${count(registrations, 'registration')} after the server listens`,
    remedy: () =>
      'register before listen. What stays: toControllers(app) reads the app again when it has changed (onStale); --settle-ms says how long inspect waits for it',
  },
  upgrade: {
    kind: 'upgrade',
    title: 'The server of the app takes upgrades',
    severity: 'warning',
    message: ({ takenBy }) =>
      `upgrades (WebSockets) on the server of the app, taken by ${takenBy.map((by) => by ?? 'the project').join(' and ')}`,
    remedy: () =>
      'inside the app nothing changes. In front of it keep a server of your own, and attach them there: createServer(toListener(routeControllers.getCallback(), { fallback: app }))',
  },
  session: {
    kind: 'session',
    title: 'Sessions stay in the memory of one process',
    severity: 'note',
    message: ({ store }) => `express-session keeps sessions in the memory of one process (${store})`,
    remedy: () =>
      'give it a store that processes share, before parity and workers: the app as it was and as it is are two processes. Within one process, one session(…) for what has moved and what has not',
  },
  opaque: {
    kind: 'opaque',
    title: 'Routes cannot be seen, because what leads to them is wrapped',
    severity: 'warning',
    message: (found) => `${found.path} ${opaqueText(found)}`,
    remedy: () => 'leave it to the app, behind what has moved (fallback: app); or take the wrapper away',
  },
  routes: {
    kind: 'routes',
    title: 'Routes are not reached, or lose a guard',
    severity: 'warning',
    message: ({ found, names }) => {
      const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
      return `${titleOf(found)}: ${names.slice(0, mostNamed).join(', ')}${more}`
    },
    remedy: () =>
      'routecontrollers inspect has the details: mend these routes, or delete them, before they move',
  },
}

/** What the code of a finding stands for. */
export function titleOfDoctor(code: DoctorCode): string {
  return doctorFindings[code].title
}

/** A finding with its texts. */
export function toldFound(found: DoctorFound): DoctorFinding {
  const { kind, severity } = doctorFindings[found.code]
  return { ...found, kind, severity, ...textsOf(found.code, found) }
}

function textsOf<C extends DoctorCode>(
  code: C,
  found: DoctorFound<C>,
): Pick<DoctorFinding, 'message' | 'remedy'> {
  const { message, remedy } = doctorFindings[code]
  return { message: message(found), remedy: remedy(found) }
}
