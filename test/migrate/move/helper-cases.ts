// Functions that handlers hand their response to, and handlers that call them: what becomes native, and what is left.

/** What stands before each handler. */
export const helpers = `
const check = (req) => req.query.q !== '0'
function fail(res, status, message) { res.status(status).json({ message }) }
const shout = (res, text) => res.send('<b>' + text + '</b>')
function allowed(req, res) {
  if (check(req)) return true
  res.status(403).send('no')
  return false
}
const refused = (req, res) => {
  if (check(req)) return false
  res.status(401).json({ refused: true })
  return true
}
function session(req, res) {
  try {
    return { user: JSON.parse(req.get('x-json') || '{}') }
  } catch (error) {
    res.status(400)
    res.send({ reason: 'no JSON' })
    return
  }
}
async function known(req, res) {
  await null
  if (check(req)) return { id: req.params.id }
  res.sendStatus(404)
  return null
}
function noCache(res) {
  res.header('Cache-Control', 'no-store')
  res.set('Pragma', 'no-cache')
}
async function show(req, res) {
  const one = await Promise.resolve(req.params.id)
  res.status(202)
  res.json({ one })
}
function later(res, value) {
  Promise.resolve(value).then((one) => { res.json({ one }) }).catch(() => { fail(res, 500, 'late') })
}
function respond(res, value) { if (value) return shout(res, value); fail(res, 404, 'none') }
// No native form has these.
function strict(req, res) { res.set('X-Strict', 'yes'); if (!check(req)) throw new Error('none') }
function silent(res, text) { if (text) res.json({ text }) }
function either(req, res) { if (check(req)) return true; res.json([]); return true }
function unsure(req, res) { if (check(req)) return 1; res.json([]); return req.query.q }
function twice(res) { res.json([1]); res.json([2]) }
function raw(res, text) { res.write(text); res.end() }
function given(res, value) { res.send(value) }
function loop(res, n) { if (n > 2) return loop(res, n - 1); res.json({ n }) }
function own(res) { return this.all ? res.json(this.all) : res.json([]) }
function logs(res) { res.set('X-Log', 'a'); return log(res) }
const log = (out) => { out.on('close', () => {}) }
let changed = (res) => res.json([1])
changed = (res) => res.json([2])
`

/** Handlers with what they call natively. */
export const helped: readonly (readonly [handler: string, expected: string])[] = [
  ["(req, res) => { fail(res, 404, 'none') }", "(req, res) => { return fail(res, 404, 'none') }"],
  ["(req, res) => fail(res, 404, 'none')", "(req, res) => fail(res, 404, 'none')"],
  ['(req, res) => { shout(res, req.params.id) }', '(req, res) => { return shoutNative(res, req.params.id) }'],
  [
    '(req, res) => { if (!allowed(req, res)) return; res.json({ id: req.params.id }) }',
    '(req, res) => { if (!allowedNative(req, res)) return; return res.json({ id: req.params.id }) }',
  ],
  [
    '(req, res) => { if (allowed(req, res)) { res.json({ id: req.params.id }) } }',
    '(req, res) => { if (allowedNative(req, res)) { return res.json({ id: req.params.id }) } }',
  ],
  [
    '(req, res) => { if (allowed(req, res)) res.json([1]); else return }',
    '(req, res) => { if (allowedNative(req, res)) return res.json([1]); else return }',
  ],
  [
    '(req, res) => { if (refused(req, res)) { return } res.json([1]) }',
    '(req, res) => { if (refused(req, res)) { return } return res.json([1]) }',
  ],
  [
    '(req, res) => { if (!refused(req, res)) { res.json([1]) } }',
    '(req, res) => { if (!refused(req, res)) { return res.json([1]) } }',
  ],
  [
    '(req, res) => { const one = session(req, res); if (!one) return; res.json(one) }',
    '(req, res) => { const one = sessionNative(req, res); if (!one) return; return res.json(one) }',
  ],
  [
    '(req, res) => { let one = session(req, res); if (one) { res.json(one) } }',
    '(req, res) => { let one = sessionNative(req, res); if (one) { return res.json(one) } }',
  ],
  [
    'async (req, res) => { const one = await known(req, res); if (!one) { return } res.json(one) }',
    'async (req, res) => { const one = await knownNative(req, res); if (!one) { return } return res.json(one) }',
  ],
  [
    '(req, res) => { noCache(res); res.json([]) }',
    '(req, res) => { noCacheNative(res); return res.json([]) }',
  ],
  [
    'async (req, res) => { try { await show(req, res) } catch (error) { fail(res, 500, error.message) } }',
    'async (req, res) => { try { return await show(req, res) } catch (error) { return fail(res, 500, error.message) } }',
  ],
  ['(req, res) => { later(res, req.query.q) }', '(req, res) => { return laterNative(res, req.query.q) }'],
  ['(req, res) => given(res, req.query.q)', '(req, res) => givenNative(res, req.query.q)'],
  ['(req, res) => respond(res, req.query.q)', '(req, res) => respondNative(res, req.query.q)'],
  [
    '(req, res) => { Promise.resolve(1).then((n) => { res.json({ n }) }).catch((error) => { fail(res, 500, error.message) }) }',
    '(req, res) => { return Promise.resolve(1).then((n) => { return res.json({ n }) }).catch((error) => { return fail(res, 500, error.message) }) }',
  ],
]

/** Handlers that are left. */
export const unhelped: readonly string[] = [
  "(req, res) => { silent(res, 'a') }",
  '(req, res) => { if (either(req, res)) return; res.json([]) }',
  '(req, res) => { if (unsure(req, res)) return; res.json([]) }',
  '(req, res) => twice(res)',
  "(req, res) => raw(res, 'a')",
  '(req, res) => loop(res, 4)',
  '(req, res) => own(res)',
  '(req, res) => logs(res)',
  '(req, res) => changed(res)',
  '(req, res) => nowhere(res)',
  // Where it answers, and the handler goes on.
  "(req, res) => { fail(res, 404, 'none'); res.json([]) }",
  '(req, res) => { allowed(req, res); res.json([]) }',
  '(req, res) => { if (!allowed(req, res)) log([]); res.json([]) }',
  '(req, res) => { if (allowed(req, res)) return; res.json([]) }',
  '(req, res) => { if (!refused(req, res)) return; res.json([]) }',
  '(req, res) => { if (allowed(req, res)) { res.json([]) } log([]) }',
  '(req, res) => { const one = session(req, res); if (one) return; res.json([]) }',
  '(req, res) => { const one = session(req, res); res.json([one]) }',
  '(req, res) => { const one = session(req, res); if (one) { res.json(one) } log([]) }',
  '(req, res) => { const one = session(req, res); if (one) { if (one.user) res.json(one) } }',
  "(req, res) => { switch (req.method) { case 'GET': { const one = session(req, res); if (one) res.json(one) } default: res.json([2]) } }",
  'async (req, res) => { const one = await known(req, res); if (one === undefined) return; res.json(one) }',
  "(req, res) => { switch (req.method) { case 'GET': if (allowed(req, res)) { res.json([1]) } break; default: res.json([2]) } }",
  // A promise is there, whatever it becomes.
  '(req, res) => { if (!known(req, res)) return; res.json([]) }',
  // A header that an error finds, a status, and two answers.
  '(req, res) => { strict(req, res); res.json([]) }',
  "(req, res) => { res.status(404); respond(res, 'a') }",
  "(req, res) => { for (const n of [1, 2]) fail(res, 404, 'none') }",
  '(req, res, next) => { if (!allowed(req, res, next)) return; res.json([]) }',
  '(req, res) => fail(...[res, 404])',
  '(req, res) => { const inner = (allowed) => allowed(req, res); if (!inner(() => true)) return; res.json([]) }',
]

/** Those of which the reason names the function, with its id. */
export const unhelpedBy: readonly (readonly [handler: string, id: string])[] = [
  ['(req, res) => { const one = session(req, res); res.json([one]) }', 'gate'],
  ['(req, res) => { const one = session(req, res); if (one) res.json(one); log([]) }', 'gate'],
  ['(req, res) => { const is = allowed(req, res); if (is) return; res.json([]) }', 'gate'],
  ['(req, res) => nowhere(res)', 'res-passed'],
  [
    '(req, res, next) => { noCache(res); try { respond(res, String(req.query)) } catch (error) { next(error) } }',
    'set-first',
  ],
]
