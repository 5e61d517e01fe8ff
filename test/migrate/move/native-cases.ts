// Handlers of Express, each with its native form, or with why it is left.

/** A handler, what it becomes, and what it needs besides. */
export type NativeCase = readonly [source: string, expected: string]

/** Those that become native; both forms are run. */
export const natives: readonly NativeCase[] = [
  ['(req, res) => res.json({ id: req.params.id })', '(req, res) => res.json({ id: req.params.id })'],
  ['(req, res) => { res.json([1, "a", null]) }', '(req, res) => { return res.json([1, "a", null]) }'],
  ["(req, res) => { res.send('hello'); }", "(req, res) => { return res.html('hello'); }"],
  ["(req, res) => void res.send('ü €')", "(req, res) => res.html('ü €')"],
  ["(req, res) => res.send('')", "(req, res) => res.html('')"],
  ['(req, res) => res.send(`id ${req.params.id}`)', '(req, res) => res.html(`id ${req.params.id}`)'],
  ["(req, res) => res.send('a' + req.query.q)", "(req, res) => res.html('a' + req.query.q)"],
  ['(req, res) => res.send(String(req.query.q))', '(req, res) => res.html(String(req.query.q))'],
  ['(req, res) => res.send({ query: req.query })', '(req, res) => res.json({ query: req.query })'],
  ['(req, res) => res.send([req.body])', '(req, res) => res.json([req.body])'],
  ['(req, res) => res.send(true)', '(req, res) => res.json(true)'],
  ['(req, res) => res.json(null)', '(req, res) => res.json(null)'],
  ['(req, res) => res.json(7)', '(req, res) => res.json(7)'],
  ["(req, res) => res.json('text')", "(req, res) => res.json('text')"],
  ['(req, res) => res.json(!req.query.q)', '(req, res) => res.json(!req.query.q)'],
  [
    '(req, res) => res.json({ nothing: undefined, at: new Date(0) })',
    '(req, res) => res.json({ nothing: undefined, at: new Date(0) })',
  ],
  [
    '(req, res) => res.status(201).json({ body: req.body })',
    '(req, res) => res.status(201).json({ body: req.body })',
  ],
  [
    '(req, res) => res.status(404).json({ no: req.params.id })',
    '(req, res) => res.status(404).json({ no: req.params.id })',
  ],
  [
    '(req, res) => res.status(404).send(`no ${req.params.id}`)',
    '(req, res) => res.status(404).html(`no ${req.params.id}`)',
  ],
  ['(req, res) => res.status(204).json({ a: 1 })', '(req, res) => res.status(204).json({ a: 1 })'],
  ['(req, res) => { res.status(204).end() }', '(req, res) => { return res.status(204).end() }'],
  ['(req, res) => res.sendStatus(204)', "(req, res) => res.status(204).text('No Content')"],
  [
    '(req, res) => { res.sendStatus(401); }',
    "(req, res) => { return res.status(401).text('Unauthorized'); }",
  ],
  ['(req, res) => res.sendStatus(418)', "(req, res) => res.status(418).text('I\\'m a Teapot')"],
  [
    "(req, res) => res.set('X-Tea', 'oolong').json({})",
    "(req, res) => res.header('X-Tea', 'oolong').json({})",
  ],
  [
    "(req, res) => { res.header('Cache-Control', 'no-store'); res.status(202); res.json({}) }",
    "(req, res) => { res.header('Cache-Control', 'no-store'); res.status(202); return res.json({}) }",
  ],
  ["(req, res) => res.cookie('a', 'b c').json({})", "(req, res) => res.cookie('a', 'b c').json({})"],
  [
    "(req, res) => res.cookie('a', req.method, { maxAge: 3600500, httpOnly: true, sameSite: 'lax', path: '/x', secure: true }).json({})",
    "(req, res) => res.cookie('a', req.method, { maxAgeSeconds: 3600, httpOnly: true, sameSite: 'lax', path: '/x', secure: true }).json({})",
  ],
  [
    "(req, res) => res.cookie('a', 'b', { maxAge: 7 * 24 * 3600 * 1000 + 0 - 1, domain: 'example.com', priority: 'high' }).json({})",
    "(req, res) => res.cookie('a', 'b', { maxAgeSeconds: Math.floor((7 * 24 * 3600 * 1000 + 0 - 1) / 1000), domain: 'example.com', priority: 'high' }).json({})",
  ],
  [
    "(req, res) => { res.cookie('a', 'b'); res.cookie('c', 'd', { 'maxAge': 0 }); res.send('two') }",
    "(req, res) => { res.cookie('a', 'b'); res.cookie('c', 'd', { 'maxAgeSeconds': 0 }); return res.html('two') }",
  ],
  [
    "(req, res) => {\n  if (req.query.q === undefined) {\n    res.status(400).json({ reason: 'no q' })\n    return\n  }\n  res.json({ q: req.query.q })\n}",
    "(req, res) => {\n  if (req.query.q === undefined) {\n    return res.status(400).json({ reason: 'no q' })\n  }\n  return res.json({ q: req.query.q })\n}",
  ],
  [
    '(req, res) => { if (req.query.q) return res.json([1]); return void res.json([2]); }',
    '(req, res) => { if (req.query.q) return res.json([1]); return res.json([2]); }',
  ],
  [
    "(req, res) => { if (req.query.q) res.json([1]); else res.send('none'); }",
    "(req, res) => { if (req.query.q) return res.json([1]); else return res.html('none'); }",
  ],
  [
    "(req, res) => { req.query.q ? res.json([1]) : res.send('none') }",
    "(req, res) => { return req.query.q ? res.json([1]) : res.html('none') }",
  ],
  [
    'async (req, res) => { const found = await Promise.resolve({ id: req.params.id }); res.json({ found }); }',
    'async (req, res) => { const found = await Promise.resolve({ id: req.params.id }); return res.json({ found }); }',
  ],
  [
    "async (req, res) => { try { const text = JSON.parse(req.get('x-json')); res.json({ text }) } catch (error) { res.status(422).json({ reason: 'no JSON' }) } }",
    "async (req, res) => { try { const text = JSON.parse(req.get('x-json')); return res.json({ text }) } catch (error) { return res.status(422).json({ reason: 'no JSON' }) } }",
  ],
  [
    "(req, res) => { const body = 'a'; res.send(body) }",
    "(req, res) => { const body = 'a'; return res.html(body) }",
  ],
  [
    "function show(req, res, next) { res.json({ agent: req.header('User-Agent') }) }",
    "function show(req, res) { return res.json({ agent: req.get('User-Agent') }) }",
  ],
  [
    '(req, res) => res.json({ all: [req.method, req.url, req.originalUrl, req.headers.host] })',
    '(req, res) => res.json({ all: [req.method, req.url, req.originalUrl, req.headers.host] })',
  ],
  [
    '(req, res) => { const ids = [1, 2].map((id) => id + req.params.id); res.json({ ids }) }',
    '(req, res) => { const ids = [1, 2].map((id) => id + req.params.id); return res.json({ ids }) }',
  ],
  [
    "(req, res) => { if (req.query.q) throw Object.assign(new Error('refused'), { status: 418 }); res.json({}) }",
    "(req, res) => { if (req.query.q) throw Object.assign(new Error('refused'), { status: 418 }); return res.json({}) }",
  ],
  [
    "async (req, res) => { await null; if (req.query.q) throw new Error('broken'); res.json({}) }",
    "async (req, res) => { await null; if (req.query.q) throw new Error('broken'); return res.json({}) }",
  ],
  [
    '(req, res) => { res.json({}); /* done */ return; }',
    '(req, res) => { return res.json({}); /* done */  }',
  ],
  [
    '(req, res) => { const { id } = req.params; const { q, ...rest } = req.query; res.json({ id, q, rest }) }',
    '(req, res) => { const { id } = req.params; const { q, ...rest } = req.query; return res.json({ id, q, rest }) }',
  ],
]

/** TypeScript: the annotations of Express's types go, those within stay. */
export const typed: readonly NativeCase[] = [
  [
    'async (req: Request<{ id: string }>, res: Response, next: NextFunction): Promise<void> => { const id = req.params.id as string; res.json({ id }) }',
    'async (req, res) => { const id = req.params.id as string; return res.json({ id }) }',
  ],
  [
    "(req: Request, res: Response) => { res.send('a' as string) }",
    "(req, res) => { return res.html('a' as string) }",
  ],
]

/** Those that are left, and why. */
export const lefts: readonly NativeCase[] = [
  ['getUser', 'it is no function that is written here'],
  ['() => {}', 'it has no response to answer with'],
  ['(req) => 1', 'it has no response to answer with'],
  ['({ params }, res) => res.json({ params })', 'its parameters are taken apart'],
  ['(error, req, res, next) => res.json({})', 'it is an error handler'],
  ['function* (req, res) { res.json({}) }', 'it is a generator'],
  ['(req, res, next) => { if (req.query.q) return next(); res.json({}) }', 'it may call next()'],
  ['(req, res, next) => load(next, () => res.json({}))', 'it may call next()'],
  ['function (req, res) { this.log(); res.json({}) }', 'it uses this'],
  ['function (req, res) { log(arguments); res.json({}) }', 'it uses arguments'],
  ['(req, res) => { { const req = 1 } res.json({}) }', 'req is declared again'],
  ['(req, res) => { list.map((res) => res.id); res.json({}) }', 'res is declared again'],
  ['(req, res) => res.json(user)', 'res.json of what may be undefined, which a native answer refuses'],
  [
    '(req, res) => res.json(users.find((one) => one.id))',
    'res.json of what may be undefined, which a native answer refuses',
  ],
  ['(req, res) => res.json(req.query.q)', 'res.json of what may be undefined, which a native answer refuses'],
  [
    '(req, res) => { { const user = {} } res.json(user) }',
    'res.json of what may be undefined, which a native answer refuses',
  ],
  ['(req, res) => res.json({ then: 1 })', 'res.json of what may be undefined, which a native answer refuses'],
  ['(req, res) => res.json()', 'res.json of nothing, or of several values'],
  ['(req, res) => res.send(text)', 'res.send of what may be no string and no object'],
  ['(req, res) => res.send(404)', 'res.send of what may be no string and no object'],
  ['(req, res) => res.send(null)', 'res.send of what may be no string and no object'],
  ['(req, res) => res.status(code).json({})', 'its status is no number that stands there'],
  ['(req, res) => res.status(100).json({})', 'its status is no number that stands there'],
  ['(req, res) => res.status(304).end()', 'its status 304 is sent with other headers natively'],
  ['(req, res) => res.status(205).json({})', 'its status 205 is sent with other headers natively'],
  ['(req, res) => res.sendStatus(205)', 'its status is no number that stands there'],
  [
    '(req, res) => res.status(404).json({ reason: reasonOf(req.params.id) })',
    'what it answers may throw when its status of an error is set already',
  ],
  [
    '(req, res) => res.status(404).send(`no ${req.query.q}`)',
    'what it answers may throw when its status of an error is set already',
  ],
  ['(req, res) => { res.status(404); res.json({}) }', 'it sets the status of an error before it answers'],
  [
    "(req, res) => { res.cookie('a', 'b'); const c = load(); res.json({ c }) }",
    'it sets a status, a header or a cookie long before it answers',
  ],
  ["(req, res) => res.redirect('/')", 'res.redirect means something else natively, or is not there'],
  ["(req, res) => res.type('text').send('a')", 'res.type means something else natively, or is not there'],
  [
    "(req, res) => res.set('Content-Type', 'text/plain').send('a')",
    'res.set of Content-Type is not the same natively',
  ],
  ["(req, res) => res.set('X-A', value).send('a')", 'res.set with what does not stand there'],
  ["(req, res) => res.set({ 'X-A': 'b' }).send('a')", 'res.set with what does not stand there'],
  ["(req, res) => res.end('text')", 'res.end takes nothing natively'],
  ['(req, res) => { res.end() }', 'res.end of another status than 204 is not the same to HEAD'],
  ['(req, res) => res.status(404).end()', 'res.end of another status than 204 is not the same to HEAD'],
  ["(req, res) => res.cookie('a', token).json({})", 'the value of its cookie may be no string'],
  ["(req, res) => res.cookie('a', 'b', options).json({})", 'the options of its cookie do not stand there'],
  [
    "(req, res) => res.cookie('a', 'b', { ...options }).json({})",
    'the options of its cookie do not stand there',
  ],
  ["(req, res) => res.cookie('a', 'b', { maxAge: age }).json({})", 'maxAge of its cookie may be undefined'],
  [
    "(req, res) => res.cookie('a', 'b', { signed: true }).json({})",
    'the option signed of its cookie may be another natively',
  ],
  ['(req, res) => { if (req.query.q) res.json([1]); res.json([2]) }', 'it goes on after it has answered'],
  ['(req, res) => { res.json({}); log() }', 'it goes on after it has answered'],
  ['(req, res) => { if (req.query.q) res.json({}) }', 'there is a path on which it does not answer'],
  ['(req, res) => { if (req.query.q) return; res.json({}) }', 'there is a path on which it does not answer'],
  ['(req, res) => {}', 'there is a path on which it does not answer'],
  [
    '(req, res) => { return load().then((user) => res.json({ user })) }',
    'it returns something else than its answer',
  ],
  [
    '(req, res) => { load((user) => res.json({ user })) }',
    'it answers within a loop, a switch or an expression',
  ],
  [
    '(req, res) => { switch (req.query.q) { case "a": res.json({}); break; default: res.json([]) } }',
    'it answers within a loop, a switch or an expression',
  ],
  [
    '(req, res) => { for (const one of list) return res.json({ one }); res.json({}) }',
    'it answers within a loop, a switch or an expression',
  ],
  ['(req, res) => { req.query.q && res.json({}) }', 'it answers within a loop, a switch or an expression'],
  ['(req, res) => { try { res.json({}) } finally { log() } }', 'it answers before a finally'],
  ['(req, res) => { const out = res; res.json({}) }', 'it answers within a loop, a switch or an expression'],
  ['(req, res) => { log(req); res.json({}) }', 'it passes req on, or takes it apart'],
  ['(req, res) => { const { params } = req; res.json({ params }) }', 'it passes req on, or takes it apart'],
  ['(req, res) => res.json({ req })', 'it passes req on, or takes it apart'],
  ['(req, res) => { req.seen = true; res.json({}) }', 'it writes to req'],
  ['(req, res) => res.json({ ip: req.ip })', 'req.ip is not there natively, or not the same'],
  ['(req, res) => res.json({ user: req.user })', 'req.user is not there natively, or not the same'],
  [
    '(req, res) => res.json({ user: req.session.user })',
    'req.session is not there natively, or not the same',
  ],
  ['(req, res) => res.json({ a: req.cookies.a })', 'req.cookies is not there natively, or not the same'],
  ['(req, res) => res.json({ a: req[name] })', 'req.[…] is not there natively, or not the same'],
  ["(req, res) => res.json({ a: req.accepts('html') })", 'req.accepts() is not the same natively'],
  ["(req, res) => res.json({ a: req.get('Referrer') })", 'req.get with what is not the same natively'],
  ['(req, res) => res.json({ a: req.get(name) })', 'req.get with what is not the same natively'],
  ['(req, res) => res.json({ title: res.app.locals.title })', 'it passes res on, or answers from a callback'],
  [
    '(req, res) => { if (res.headersSent) return res.json({}); return res.json([]) }',
    'it passes res on, or answers from a callback',
  ],
]
