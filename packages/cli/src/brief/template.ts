// What is to be written for a route: the callback of the machine, or one to complete, with the types that are known.
import type { BriefPiece } from '../documents/brief.js'
import type { RouteRow } from '../documents/inventory.js'
import type { RowForm } from '../edit/row-form.js'

interface Facts {
  readonly isCommonJs: boolean
  readonly isAsync: boolean
  /** Relative to the project. */
  readonly file: string | undefined
}

// A longer one is what `move` shows.
const longest = 4000
const ownMembers = /^\(|^(?:params|query|body|headers?|get|method|url|originalUrl|cookies|route|ip)\b/

/** True for what the callback stands for: its handler, also where a wrapper gets that in the call, and what that reads and calls. */
export function isHandled({ role }: BriefPiece): boolean {
  return role === 'handler' || role === 'route' || role === 'uses'
}

/** The import and the callback, as they stand in the file of the route. */
export function templateOf(
  { method, params, own }: RouteRow,
  { native, path, type, imports, written, helpers = [] }: RowForm,
  pieces: readonly BriefPiece[],
  { isCommonJs, isAsync, file }: Facts,
): string {
  const isAlone = own.stage === 'native'
  if ((isAlone && written !== 'as it is') || written === 'callback')
    return '// A native callback answers already.'
  const isController = own.stage === undefined
  if (isController && written === undefined) return '// A Controller answers already.'
  if (native !== undefined && native.length > longest)
    return '// The machine makes this callback, which is long: routecontrollers move shows it.'
  const isTypeScript = /\.[cm]?tsx?$/.test(file ?? '')
  const generics =
    type !== undefined
      ? `<${path ?? 'object'}, ${type}>`
      : isTypeScript && path?.includes(':')
        ? `<${path}>`
        : ''
  const needed = [...(isController ? [] : ['native']), ...imports]
  const names = needed.join(', ')
  const [open, close] = isController ? ['', ''] : [`native${generics}(`, ')']
  const imported = isCommonJs
    ? `const { ${names} } = require('routecontrollers/express')`
    : `import { ${names} } from 'routecontrollers/express'`
  const hasSchema = type?.includes('SchemaOutput<') === true
  const head = [
    ...(hasSchema ? ["import type { SchemaOutput } from 'routecontrollers'"] : []),
    ...(isController ? ['// In the Controller that answers already, in the place of fromExpress(…):'] : []),
    ...(isAlone ? ['// In the place of native(fromExpress(…)):'] : []),
    ...(needed.length > 0 ? [imported] : []),
    '',
  ]
  const more = helpers.length === 0 ? [] : [`// routecontrollers move writes ${helpers.join(', ')}, too.`]
  if (native !== undefined) return [...head, ...more, `${open}${native}${close},`].join('\n')
  const reads = pieces.filter(isHandled).flatMap((one) => one.reads)
  const setBy = (member: string): BriefPiece | undefined =>
    pieces.find(({ role, sets }) => role === 'pass' && sets.some((one) => one.split('.')[0] === member))
  const members = [...new Set(reads.filter((one) => !ownMembers.test(one)).map((one) => one.split('.')[0]!))]
  const options = method === 'GET' || method === 'HEAD' ? '' : ", { body: 'stream' }"
  return [
    ...head,
    `${open}${isAsync ? 'async ' : ''}(req, res) => {`,
    ...params.map((name) => `  // req.params.${name}: a text`),
    ...(reads.some((one) => one.startsWith('body'))
      ? [
          isTypeScript
            ? '  // req.body is unknown: write req.body as Type, or give native { input: { body: schema } }'
            : '  // req.body is what the parser of the app has left',
        ]
      : []),
    ...members.flatMap((member) => {
      const by = setBy(member)
      return by === undefined
        ? []
        : [`  // req.${member}: ${by.argument ?? by.name} has set it, ${by.definition ?? by.at}`]
    }),
    '  // An error is thrown, and each path returns its answer.',
    '  return res.json({})',
    `}${options}${close},`,
  ].join('\n')
}
