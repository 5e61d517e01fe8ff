// The types of a request that a validator before its handler has checked.
import { readText, type SourceFile } from '../../../packages/cli/src/edit/source-file.js'
import { formOf } from '../../../packages/cli/src/move/beside.js'
import type { Node } from '../../../packages/cli/src/syntax/parser.js'

/** The type that `native` is given for the handler of the last statement. */
function typeIn(text: string): string | undefined {
  const source = readText('/app.ts', text) as SourceFile
  const statement = (source.program['body'] as readonly Node[]).at(-1)!
  const call = statement['expression'] as Node
  const handler = (call['arguments'] as readonly Node[]).at(-1)!
  const line = text.slice(0, handler.start).split('\n').length - 1
  const here = { file: '/app.ts', line, column: 0, isMapped: true }
  const form = formOf(
    source,
    { call, method: 'POST', definitions: [{ own: [here], named: [], isReplaced: false, members: [] }] },
    handler,
    true,
  )
  return 'reason' in form ? `left: ${form.reason}` : (form as { type?: string }).type
}

const middleware = "import { validateRequest, validateRequestBody } from 'zod-express-middleware'"
const safe = "import validate from 'express-zod-safe'"
const reads = '(req, res) => { res.json({ name: req.body.name }) }'
const left = 'left: the type of req.body is unknown natively'

it.each([
  [
    'its body',
    `${middleware}\napp.post('/teas', validateRequest({ body: Tea }), ${reads})`,
    '{ body: SchemaOutput<typeof Tea> }',
  ],
  [
    'its body and its query',
    `${middleware}\napp.post('/teas', guard, validateRequest({ query: schemas.page, body: schemas.tea }), ${reads})`,
    '{ query: SchemaOutput<typeof schemas.page>; body: SchemaOutput<typeof schemas.tea> }',
  ],
  [
    'what several validators check',
    `${middleware}\napp.post('/teas', validateRequestBody(Tea), validateRequest({ query: Page }), ${reads})`,
    '{ body: SchemaOutput<typeof Tea>; query: SchemaOutput<typeof Page> }',
  ],
  [
    'what a default export checks',
    `${safe}\napp.post('/teas', validate({ body: Tea }), ${reads})`,
    '{ body: SchemaOutput<typeof Tea> }',
  ],
  [
    'its query, which alone it reads',
    `${safe}\napp.get('/teas', validate({ query: Page }), (req, res) => { res.json({ page: req.query.page }) })`,
    '{ query: SchemaOutput<typeof Page> }',
  ],
  [
    'nothing that it does not read',
    `${safe}\napp.post('/teas', validate({ body: Tea }), (req, res) => { res.json([]) })`,
    undefined,
  ],
  [
    'the type that the handler says',
    `${safe}\napp.post('/teas', validate({ body: Tea }), (req: Request<{}, {}, Own>, res) => { res.json({ name: req.body.name }) })`,
    'Request<{}, {}, Own>',
  ],
  [
    'no schema that stands in the call',
    `${safe}\napp.post('/teas', validate({ body: z.object({}) }), ${reads})`,
    left,
  ],
  [
    'no function of another package',
    `import validate from './validate.js'\napp.post('/teas', validate({ body: Tea }), ${reads})`,
    left,
  ],
  [
    'no name that stands for something else',
    `${safe}\nconst SchemaOutput = 1\napp.post('/teas', validate({ body: Tea }), ${reads})`,
    left,
  ],
])('has the type of %s', (_what, text, expected) => {
  expect(typeIn(text)).toBe(expected)
})
