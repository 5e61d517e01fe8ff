import { describeAnswers } from './support/answers.js'

const values = {
  object: { a: 1, b: [true, null, '<script>&'], c: undefined, date: new Date(0) },
  text: 'text',
  empty: '',
  null: null,
  undefined: undefined,
  number: 1.5,
  false: false,
  unicode: { text: 'naïve 日本 🍵 \u2028\u2029' },
  toJSON: { toJSON: (): string => 'own' },
  function: (): void => {},
  bigint: 1n,
} as const

const sent = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [
    name,
    (_req: unknown, res: { json(value: unknown): unknown }) => void res.json(value),
  ]),
)

describeAnswers('res.json', sent, {
  requests: { '': {}, HEAD: { method: 'HEAD' }, POST: { method: 'POST' } },
})

describeAnswers('res.json with a status or a type', {
  '201': (_req, res) => res.status(201).json({ a: 1 }),
  '204': (_req, res) => res.status(204).json({ a: 1 }),
  '205': (_req, res) => res.status(205).json({ a: 1 }),
  '418': (_req, res) => res.status(418).json({ a: 1 }),
  '500': (_req, res) => res.status(500).json({ a: 1 }),
  'a vendor type': (_req, res) => res.type('application/vnd.api+json').json({ a: 1 }),
  'problem+json': (_req, res) => res.set('Content-Type', 'application/problem+json').json({ a: 1 }),
  'the response again': (_req, res) => {
    const end = res.end.bind(res)
    res.end = () => res
    const again = res.json(null)
    // As long as `null`.
    end(String(again === res))
  },
})

const settings: Record<string, Record<string, unknown>> = {
  'two spaces': { 'json spaces': 2 },
  tabs: { 'json spaces': '\t' },
  'a replacer': {
    'json replacer': (key: string, value: unknown) => (key === 'a' ? 'replaced' : value),
  },
  'a list of names': { 'json replacer': ['a', 'text'] },
  escapes: { 'json escape': true },
  'all of them': { 'json spaces': 1, 'json replacer': ['b'], 'json escape': true },
  'a strong ETag': { etag: 'strong' },
  'no ETag': { etag: false },
  'an ETag of its own': {
    etag: (body: string | Buffer, encoding?: string) =>
      `"${body.constructor.name}-${body.length}-${String(encoding)}"`,
  },
  'an ETag that is none': { etag: () => undefined },
}

for (const [name, some] of Object.entries(settings)) {
  describeAnswers(
    `res.json and res.send with ${name}`,
    {
      json: (_req, res) => res.json(values.object),
      'json of a text': (_req, res) => res.json('<&>'),
      'json of undefined': (_req, res) => res.json(undefined),
      send: (_req, res) => res.send('text'),
      'an empty text': (_req, res) => res.send(''),
      bytes: (_req, res) => res.send(Buffer.from('bytes')),
      jsonp: (_req, res) => res.jsonp(values.object),
    },
    { settings: some, requests: { '': { target: '/x?callback=call' } } },
  )
}

describeAnswers(
  'res.jsonp',
  {
    object: (_req, res) => res.jsonp({ a: 1 }),
    'line separators': (_req, res) => res.jsonp(values.unicode),
    undefined: (_req, res) => res.jsonp(undefined),
    text: (_req, res) => res.jsonp('text'),
    'with a type': (_req, res) => res.type('txt').jsonp({ a: 1 }),
    '404': (_req, res) => res.status(404).jsonp({ a: 1 }),
  },
  {
    requests: {
      'no callback': {},
      'a callback': { target: '/x?callback=something' },
      'an empty one': { target: '/x?callback=' },
      'two of them': { target: '/x?callback=a&callback=b' },
      'a member': { target: '/x?callback=a.b%5B0%5D.%24c' },
      'an attack': { target: '/x?callback=alert(1)%3B%2F%2F%3Cscript%3E' },
      'another name': { target: '/x?cb=call' },
    },
  },
)

describeAnswers(
  'res.jsonp with a callback name of its own',
  { object: (_req, res) => res.jsonp({ a: 1 }) },
  {
    settings: { 'jsonp callback name': 'cb' },
    requests: { 'its name': { target: '/x?cb=call' }, 'the usual name': { target: '/x?callback=call' } },
  },
)
