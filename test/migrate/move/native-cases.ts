// Handlers of Express, each with its native form, or with why it is left.

/** A handler, what it becomes, and what it needs besides. */
export type NativeCase = readonly [source: string, expected: string]

/** Those whose native form needs a function of `routecontrollers/express`; both forms are run in routes. */
export const importing: readonly NativeCase[] = [
  ["(req, res) => res.sendFile('/etc/hostname')", "() => sendFile('/etc/hostname')"],
  [
    "(req, res) => { res.status(404).type('txt'); res.sendFile('hostname', { root: '/etc', etag: false }) }",
    "(req, res) => { res.status(404).header('Content-Type', 'text/plain; charset=utf-8'); return sendFile('hostname', { root: '/etc', etag: false }) }",
  ],
  ["(req, res) => { res.sendFile('/etc') }", "() => { return sendFile('/etc') }"],
  ["(req, res) => { res.sendFile('/etc/none') }", "() => { return sendFile('/etc/none') }"],
  ["(req, res) => res.download('/etc/hostname', 'tea.txt')", "() => download('/etc/hostname', 'tea.txt')"],
  ['(req, res) => res.send(req.query.q)', '(req, res) => sendValue(res, req.query.q)'],
  ['(req, res) => { res.send(req.query) }', '(req, res) => { return sendValue(res, req.query) }'],
  ['(req, res) => res.send(null)', '(req, res) => sendValue(res, null)'],
  [
    "(req, res) => res.type('text').send(null)",
    "(req, res) => sendValue(res.header('Content-Type', 'text/plain; charset=utf-8'), null)",
  ],
  [
    '(req, res) => { res.status(201).send(req.query.list) }',
    '(req, res) => { return sendValue(res.status(201), req.query.list) }',
  ],
  [
    "(req, res) => { if (req.query.q) { res.type('text') } res.send(req.query.q) }",
    "(req, res) => { if (req.query.q) { res.header('Content-Type', 'text/plain; charset=utf-8') } return sendValue(res, req.query.q) }",
  ],
  [
    '(req, res) => { setTimeout(() => { res.send(req.query.deep) }, 1) }',
    '(req, res) => { return new Promise((resolve) => { setTimeout(() => { resolve(sendValue(res, req.query.deep)) }, 1) }) }',
  ],
]

/** Those that are left, though their file may import such a function. */
export const importingLefts: readonly NativeCase[] = [
  ["(req, res) => res.status(404).sendFile('/etc/hostname')", 'res-member'],
  ["(req, res) => res.set('x-a', 'b').download('/etc/hostname')", 'res-member'],
  ['(req, res) => res.sendFile(...paths)', 'res-member'],
  ["(req, res) => res.sendFile('/etc/hostname', (error) => log(error))", 'res-member'],
]

/** Those that become native; both forms are run. */
export const natives: readonly NativeCase[] = [
  // Without a body, and with a length of 0.
  ['(req, res) => res.status(205).json({ a: 1 })', '(req, res) => res.status(205).json({ a: 1 })'],
  ["(req, res) => { res.status(205).send('text') }", "(req, res) => { return res.status(205).html('text') }"],
  [
    "(req, res) => res.status(205).set('X-A', 'a').type('txt').send('text')",
    "(req, res) => res.status(205).header('X-A', 'a').text('text')",
  ],
  ['(req, res) => res.status(205).end()', '(req, res) => res.status(205).end()'],
  ['(req, res) => { res.status(205); res.end() }', '(req, res) => { res.status(205); return res.end() }'],
  ['(req, res) => res.sendStatus(205)', "(req, res) => res.status(205).text('Reset Content')"],
  [
    "(req, res) => res.type('json').status(205).end()",
    "(req, res) => res.header('Content-Type', 'application/json; charset=utf-8').status(205).end()",
  ],
  [
    '(req, res) => res.status(req.query.q ? 205 : 200).json([])',
    '(req, res) => res.status(req.query.q ? 205 : 200).json([])',
  ],
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
  [
    "(req, res) => { res.status(204).type('text/plain').end() }",
    "(req, res) => { return res.status(204).header('Content-Type', 'text/plain; charset=utf-8').end() }",
  ],
  [
    "(req, res) => (req.query.q ? res.type('css').send('a{}') : res.send('<p>'))",
    "(req, res) => (req.query.q ? res.header('Content-Type', 'text/css; charset=utf-8').send('a{}') : res.html('<p>'))",
  ],
  ["(req, res) => res.redirect('/teas')", "(req, res) => res.redirect('/teas')"],
  ["(req, res) => { res.redirect(308, '/a?b=ü') }", "(req, res) => { return res.redirect('/a?b=ü', 308) }"],
  [
    "(req, res) => { res.cookie('a', 'b').redirect('https://tea.example/' + 1) }",
    "(req, res) => { return res.cookie('a', 'b').redirect('https://tea.example/' + 1) }",
  ],
  [
    '(req, res) => res.redirect(`/teas/${req.params.id}`)',
    '(req, res) => res.redirect(`/teas/${req.params.id}`)',
  ],
  ['(req, res) => res.redirect(String(req.query.to))', '(req, res) => res.redirect(String(req.query.to))'],
  [
    "(req, res) => { const to = '/' + req.params.id; res.redirect(301, to) }",
    "(req, res) => { const to = '/' + req.params.id; return res.redirect(to, 301) }",
  ],
  [
    "(req, res) => res.redirect(req.get('Referrer') || '/')",
    "(req, res) => res.redirect(req.get('Referrer') || '/')",
  ],
  [
    "(req, res) => res.redirect(req.header('Referrer') ?? req.originalUrl)",
    "(req, res) => res.redirect(req.get('Referrer') ?? req.originalUrl)",
  ],
  [
    "(req, res) => { setImmediate(() => res.redirect('/' + req.params.id)) }",
    "(req, res) => { return new Promise((resolve) => { setImmediate(() => resolve(res.redirect('/' + req.params.id))) }) }",
  ],
  [
    "(req, res) => res.status(201).location('/a').json({})",
    "(req, res) => res.status(201).location('/a').json({})",
  ],
  [
    '(req, res) => { res.location(`/teas/${req.params.id}?a=ü`); res.sendStatus(201) }',
    "(req, res) => { res.location(`/teas/${req.params.id}?a=ü`); return res.status(201).text('Created') }",
  ],
  ['(req, res) => { res.end() }', '(req, res) => { return res.end() }'],
  [
    "(req, res) => { res.set('X-Tea', 'no'); res.status(500).end() }",
    "(req, res) => { res.header('X-Tea', 'no'); return res.status(500).end() }",
  ],
  ['(req, res) => res.status(404).end()', '(req, res) => res.status(404).end()'],
  ['(req, res) => res.status(404).send()', '(req, res) => res.status(404).end()'],
  [
    '(req, res) => { setTimeout(() => res.json({ q: req.query.q }), 1) }',
    '(req, res) => { return new Promise((resolve) => { setTimeout(() => resolve(res.json({ q: req.query.q })), 1) }) }',
  ],
  [
    "(req, res, next) => {\n  setImmediate(() => {\n    if (!req.query.q) return next(new Error('none'))\n    try {\n      if (req.query.q === '0') throw new Error('refused')\n      res.json([1])\n    } catch (error) {\n      next(error)\n    }\n  })\n}",
    "(req, res) => {\n  return new Promise((resolve, reject) => {\n    setImmediate(() => {\n      if (!req.query.q) return reject(new Error('none'))\n      try {\n        if (req.query.q === '0') throw new Error('refused')\n        resolve(res.json([1]))\n      } catch (error) {\n        reject(error)\n      }\n    })\n  })\n}",
  ],
  [
    "(req, res) => { if (!req.query.q) return res.status(400).json({}); setImmediate(() => { if (req.query.q === '1') { res.status(418).send('tea'); return } res.json([]) }); return }",
    "(req, res) => { if (!req.query.q) return res.status(400).json({}); return new Promise((resolve) => { setImmediate(() => { if (req.query.q === '1') { resolve(res.status(418).html('tea')); return } resolve(res.json([])) }); }); }",
  ],
  [
    "(req, res, next) => { (async () => { await null; if (!req.query.q) throw new Error('none'); res.json([1]) })().catch(next) }",
    "(req, res) => { return new Promise((resolve, reject) => { (async () => { await null; if (!req.query.q) throw new Error('none'); resolve(res.json([1])) })().catch(reject) }) }",
  ],
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
    '(req, res) => (req.query.q ? res.json([1]) : req.query.r ? res.json([2]) : res.json([3]))',
    '(req, res) => (req.query.q ? res.json([1]) : req.query.r ? res.json([2]) : res.json([3]))',
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
  [
    "(req, res) => {\n  if (!req.query.q) return res.status(404).json({ reason: 'no q' })\n  const q = String(req.query.q)\n  res.json({ q })\n}",
    "(req, res) => {\n  if (!req.query.q) return res.status(404).json({ reason: 'no q' })\n  const q = String(req.query.q)\n  return res.json({ q })\n}",
  ],
  [
    "(req, res) => {\n  if (!req.query.q) {\n    // nobody asks\n    res.sendStatus(404);\n    return;\n  } else if (req.query.q === '1') {\n    res.json({ one: true });\n    return;\n  }\n  res.json({ q: req.query.q });\n}",
    "(req, res) => {\n  if (!req.query.q) {\n    // nobody asks\n    return res.status(404).text('Not Found');\n  } else if (req.query.q === '1') {\n    return res.json({ one: true });\n  }\n  return res.json({ q: req.query.q });\n}",
  ],
  [
    "(req, res) => {\n  switch (req.query.q) {\n    case undefined:\n      res.status(400).json({ reason: 'no q' })\n      break\n    case '1': {\n      res.json({ one: true })\n      break\n    }\n    case '2':\n    case '3':\n      return res.send('more')\n    default:\n      if (req.method === 'PUT') {\n        res.json([])\n        return\n      }\n      res.json([1])\n  }\n}",
    "(req, res) => {\n  switch (req.query.q) {\n    case undefined:\n      return res.status(400).json({ reason: 'no q' })\n    case '1': {\n      return res.json({ one: true })\n    }\n    case '2':\n    case '3':\n      return res.html('more')\n    default:\n      if (req.method === 'PUT') {\n        return res.json([])\n      }\n      return res.json([1])\n  }\n}",
  ],
  [
    "(req, res) => { switch (req.query.q) { case '1': res.json([1]); return; } res.json([]) }",
    "(req, res) => { switch (req.query.q) { case '1': return res.json([1]); } return res.json([]) }",
  ],
  [
    "(req, res) => {\n  for (const one of ['1', '2']) {\n    if (req.query.q === one) return res.json({ one })\n  }\n  res.status(404).json({ found: false })\n}",
    "(req, res) => {\n  for (const one of ['1', '2']) {\n    if (req.query.q === one) return res.json({ one })\n  }\n  return res.status(404).json({ found: false })\n}",
  ],
  [
    "(req, res) => { if (req.query.q) { if (req.query.q === '1') { res.json(1) } else { res.json(2) } } else { res.json(3) } }",
    "(req, res) => { if (req.query.q) { if (req.query.q === '1') { return res.json(1) } else { return res.json(2) } } else { return res.json(3) } }",
  ],
  [
    "async (req, res, next) => {\n  try {\n    const text = await Promise.resolve(JSON.parse(req.get('x-json') ?? '{}'))\n    res.json({ text })\n  } catch (error) {\n    next(error)\n  }\n}",
    "async (req, res) => {\n  const text = await Promise.resolve(JSON.parse(req.get('x-json') ?? '{}'))\n  return res.json({ text })\n}",
  ],
  [
    "async (req, res, next) => {\n  const id = req.params.id\n  try {\n    if (req.query.q) throw Object.assign(new Error('refused'), { status: 418 })\n    // as it was sent\n    const text = `\n    ${id}`\n\n    return res.status(201).json({ text })\n  } catch (err) {\n    return next(err)\n  }\n}",
    "async (req, res) => {\n  const id = req.params.id\n  if (req.query.q) throw Object.assign(new Error('refused'), { status: 418 })\n  // as it was sent\n  const text = `\n    ${id}`\n\n  return res.status(201).json({ text })\n}",
  ],
  [
    "async (req, res, next) => { try { await null; if (req.query.q) return next(Object.assign(new Error('no'), { status: 409 })); res.json({}) } catch (e) { next(e) } }",
    "async (req, res) => { await null; if (req.query.q) throw Object.assign(new Error('no'), { status: 409 }); return res.json({}) }",
  ],
  [
    "async (req, res, next) => {\n  try {\n    JSON.parse(req.get('x-json') ?? '{')\n    res.json({})\n  } catch (error) {\n    if (req.query.q) return res.status(409).json({ reason: error.message })\n    next(error)\n  }\n}",
    "async (req, res) => {\n  try {\n    JSON.parse(req.get('x-json') ?? '{')\n    return res.json({})\n  } catch (error) {\n    if (req.query.q) return res.status(409).json({ reason: error.message })\n    throw error\n  }\n}",
  ],
  [
    "(req, res, next) => { if (req.query.q) { next(new Error('q')); return } res.json({}) }",
    "(req, res) => { if (req.query.q) { throw new Error('q'); } return res.json({}) }",
  ],
  [
    "(req, res, next) => { if (req.query.q) return void next(new Error('q')); res.json({}) }",
    "(req, res) => { if (req.query.q) throw new Error('q'); return res.json({}) }",
  ],
  [
    "(req, res, next) => { const error = new Error('always'); if (req.query.q) return next(error); res.json({}) }",
    "(req, res) => { const error = new Error('always'); if (req.query.q) throw error; return res.json({}) }",
  ],
  [
    'async (req, res) => { try { await null; res.json({}) } catch (error) { res.status(500).json({ reason: error.message }) } finally { String(1) } }',
    'async (req, res) => { try { await null; return res.json({}) } catch (error) { return res.status(500).json({ reason: error.message }) } finally { String(1) } }',
  ],
  [
    '(req, res, next) => Promise.resolve({ q: 1 }).then((found) => res.json(found)).catch(next)',
    '(req, res) => Promise.resolve({ q: 1 }).then((found) => res.json(found))',
  ],
  [
    "(req, res, next) => {\n  Promise.resolve(req.query.q)\n    .then((q) => JSON.parse(q ?? '{}'))\n    .then((found) => {\n      if (!found) {\n        return res.sendStatus(404)\n      }\n      res.json({ found })\n    })\n    .catch((error) => next(error))\n}",
    "(req, res) => {\n  return Promise.resolve(req.query.q)\n    .then((q) => JSON.parse(q ?? '{}'))\n    .then((found) => {\n      if (!found) {\n        return res.status(404).text('Not Found')\n      }\n      return res.json({ found })\n    })\n}",
  ],
  [
    "(req, res) => {\n  Promise.resolve(req.get('x-json'))\n    .then((text) => res.json({ parsed: JSON.parse(text) }))\n    .catch((error) => {\n      res.status(422).json({ reason: error.message })\n    })\n}",
    "(req, res) => {\n  return Promise.resolve(req.get('x-json'))\n    .then((text) => res.json({ parsed: JSON.parse(text) }))\n    .catch((error) => {\n      return res.status(422).json({ reason: error.message })\n    })\n}",
  ],
  [
    '(req, res) => { Promise.resolve(1).then((n) => res.json({ n }), () => res.sendStatus(500)).finally(() => String(1)) }',
    "(req, res) => { return Promise.resolve(1).then((n) => res.json({ n }), () => res.status(500).text('Internal Server Error')).finally(() => String(1)) }",
  ],
  [
    'async (req, res, next) => { await Promise.resolve(1).then((n) => { res.json({ n }) }).catch(next) }',
    'async (req, res) => { return await Promise.resolve(1).then((n) => { return res.json({ n }) }) }',
  ],
  [
    '(req, res) => res.status(req.query.q ? 200 : 404).json({ q: req.query.q ?? null })',
    '(req, res) => res.status(req.query.q ? 200 : 404).json({ q: req.query.q ?? null })',
  ],
  [
    '(req, res) => { const code = 409; res.status(code).json({ code }) }',
    '(req, res) => { const code = 409; return res.status(code).json({ code }) }',
  ],
  [
    '(req, res) => { const code = req.query.q ? 201 : 404; res.status(code).json({ code }) }',
    '(req, res) => { const code = req.query.q ? 201 : 404; return res.status(code).json({ code }) }',
  ],
  [
    '(req, res) => { const code = 404; res.sendStatus(code) }',
    "(req, res) => { const code = 404; return res.status(code).text('Not Found') }",
  ],
  [
    '(req, res) => { res.statusCode = 202; res.json({}) }',
    '(req, res) => { res.status(202); return res.json({}) }',
  ],
  [
    '(req, res) => { res.status(404); res.json({}) }',
    '(req, res) => { res.status(404); return res.json({}) }',
  ],
  [
    "(req, res) => { res.status(404); res.set('X-A', 'a'); res.json({}) }",
    "(req, res) => { res.status(404); res.header('X-A', 'a'); return res.json({}) }",
  ],
  [
    "(req, res) => { res.status(404).set('X-Tea', 'no'); return res.json({}) }",
    "(req, res) => { res.status(404).header('X-Tea', 'no'); return res.json({}) }",
  ],
  [
    "(req, res) => { res.setHeader('Cache-Control', 'no-store'); res.json({}) }",
    "(req, res) => { res.header('Cache-Control', 'no-store'); return res.json({}) }",
  ],
  [
    "(req, res) => { res.setHeader('X-Id', req.params.id); const at = [1].length; res.json({ at }) }",
    "(req, res) => { res.header('X-Id', req.params.id); const at = [1].length; return res.json({ at }) }",
  ],
  [
    "(req, res) => res.set('X-Count', String(7)).json({})",
    "(req, res) => res.header('X-Count', String(7)).json({})",
  ],
  [
    "(req, res) => res.set({ 'X-Tea': 'oolong', Etags: 'x' }).json({})",
    "(req, res) => res.header('X-Tea', 'oolong').header('Etags', 'x').json({})",
  ],
  [
    "(req, res) => { res.set({\n  'X-Tea': 'oolong',\n  'Cache-Control': 'no-store',\n}); res.json({}) }",
    "(req, res) => { res.header('X-Tea', 'oolong').header('Cache-Control', 'no-store'); return res.json({}) }",
  ],
  ["(req, res) => res.type('text/plain').send('plain')", "(req, res) => res.text('plain')"],
  [
    "(req, res) => res.status(404).type('txt').send('plain ü')",
    "(req, res) => res.status(404).text('plain ü')",
  ],
  [
    "(req, res) => { res.set('Content-Type', 'text/html'); res.send('<b>ü</b>') }",
    "(req, res) => { res.header('Content-Type', 'text/html; charset=utf-8'); return res.send('<b>ü</b>') }",
  ],
  [
    "(req, res) => { res.setHeader('Content-Type', 'text/plain'); res.send('plain') }",
    "(req, res) => { res.header('Content-Type', 'text/plain'); return res.send('plain') }",
  ],
  [
    "(req, res) => res.type('xml').send('<a/>')",
    "(req, res) => res.header('Content-Type', 'application/xml').send('<a/>')",
  ],
  [
    "(req, res) => { res.setHeader('Content-Type', 'application/json'); res.send(JSON.stringify({ a: 1 })) }",
    "(req, res) => { res.header('Content-Type', 'application/json'); return res.send(JSON.stringify({ a: 1 })) }",
  ],
  [
    "(req, res) => res.type('application/vnd.api+json').json({ data: [] })",
    "(req, res) => res.header('Content-Type', 'application/vnd.api+json').json({ data: [] })",
  ],
  [
    "(req, res) => res.set('Content-Type', 'text/csv; charset=utf-8').send(['a', 'b'].join())",
    "(req, res) => res.header('Content-Type', 'text/csv; charset=utf-8').send(['a', 'b'].join())",
  ],
  [
    "(req, res) => res.header('Content-Type', 'application/octet-stream').send(Buffer.from('bytes'))",
    "(req, res) => res.header('Content-Type', 'application/octet-stream').send(Buffer.from('bytes'))",
  ],
  [
    "(req, res) => res.clearCookie('a').json({})",
    "(req, res) => res.cookie('a', '', { expires: new Date(0) }).json({})",
  ],
  [
    "(req, res) => { res.clearCookie('a', { path: '/x', httpOnly: true }); res.status(204).end() }",
    "(req, res) => { res.cookie('a', '', { path: '/x', httpOnly: true, expires: new Date(0) }); return res.status(204).end() }",
  ],
  [
    "(req, res) => { const options = { httpOnly: true, secure: true }; res.cookie('a', 'b', options).clearCookie('c', options).json({}) }",
    "(req, res) => { const options = { httpOnly: true, secure: true }; return res.cookie('a', 'b', options).cookie('c', '', { ...options, expires: new Date(0) }).json({}) }",
  ],
  [
    "(req, res) => res.cookie('a', req.params.id, { secure: req.query.q === '1', expires: new Date(0) }).json({})",
    "(req, res) => res.cookie('a', req.params.id, { secure: req.query.q === '1', expires: new Date(0) }).json({})",
  ],
  [
    '(req, res) => { const found = [{ id: 1 }].find(({ id }) => String(id) === req.query.q); if (!found) return res.status(404).json({ id: null }); res.json(found) }',
    '(req, res) => { const found = [{ id: 1 }].find(({ id }) => String(id) === req.query.q); if (!found) return res.status(404).json({ id: null }); return res.json(found) }',
  ],
  [
    '(req, res) => { const found = [{ id: 1 }].find(({ id }) => String(id) === req.query.q); if (found) { res.json(found) } else { res.sendStatus(404) } }',
    "(req, res) => { const found = [{ id: 1 }].find(({ id }) => String(id) === req.query.q); if (found) { return res.json(found) } else { return res.status(404).text('Not Found') } }",
  ],
  [
    '(req, res) => { const found = [{ id: 1 }].map(({ id }) => id); res.json(found) }',
    '(req, res) => { const found = [{ id: 1 }].map(({ id }) => id); return res.json(found) }',
  ],
  [
    "(req, res) => { try { JSON.parse('{'); res.json({}) } catch (error) { res.status(500).send(error.message) } }",
    "(req, res) => { try { JSON.parse('{'); return res.json({}) } catch (error) { return res.status(500).html(error.message) } }",
  ],
  [
    "(req, res) => { const answer = { statusCode: 409, reason: 'x' }; let last = answer; res.status(last.statusCode).send(last) }",
    "(req, res) => { const answer = { statusCode: 409, reason: 'x' }; let last = answer; return res.status(last.statusCode).json(last) }",
  ],
  [
    '({ params: { id }, query }, res) => res.json({ id, query })',
    '({ params: { id }, query }, res) => res.json({ id, query })',
  ],
  [
    '(req, res) => { const { params, query: { q = 1 }, method } = req; res.json({ params, q, method }) }',
    '(req, res) => { const { params, query: { q = 1 }, method } = req; return res.json({ params, q, method }) }',
  ],
  ['(_req, res) => res.json({})', '(_req, res) => res.json({})'],
  [
    '(request, response) => { response.json({ at: request.url }) }',
    '(request, response) => { return response.json({ at: request.url }) }',
  ],
  [
    "(req, res, next) => {\n  if (req.query.q) {\n    try {\n      JSON.parse('{')\n      res.json(1)\n    } catch (error) {\n      next(error)\n    }\n  } else res.json(2)\n}",
    "(req, res) => {\n  if (req.query.q) {\n    JSON.parse('{')\n    return res.json(1)\n  } else return res.json(2)\n}",
  ],
  [
    "async (req, res, next) => {\n  let text\n  try {\n    text = await Promise.resolve(JSON.parse(req.get('x-json') ?? '{'))\n  } catch (error) {\n    return next(error)\n  }\n  res.json({ text })\n}",
    "async (req, res) => {\n  let text\n  text = await Promise.resolve(JSON.parse(req.get('x-json') ?? '{'))\n  return res.json({ text })\n}",
  ],
  [
    "(req, res, next) => {\n  try {\n    // first\n    const text = JSON.parse(req.get('x-json') ?? '[]')\n    res.json({ text })\n    // last\n  } catch (error) {\n    next(error)\n  }\n}",
    "(req, res) => {\n  // first\n  const text = JSON.parse(req.get('x-json') ?? '[]')\n  return res.json({ text })\n  // last\n}",
  ],
  [
    "(req, res) => { if (req.query.q) { res.type('html') } res.type('text').send('x') }",
    "(req, res) => { if (req.query.q) { res.header('Content-Type', 'text/html; charset=utf-8') } return res.header('Content-Type', 'text/plain; charset=utf-8').send('x') }",
  ],
  [
    "(req, res) => { if (req.query.q) { res.type('html') } res.send('x') }",
    "(req, res) => { if (req.query.q) { res.header('Content-Type', 'text/html; charset=utf-8') } return res.html('x') }",
  ],
  [
    "(req, res) => { if (req.query.q) return res.type('xml').send('<a/>'); return res.type('text').send('x') }",
    "(req, res) => { if (req.query.q) return res.header('Content-Type', 'application/xml').send('<a/>'); return res.header('Content-Type', 'text/plain; charset=utf-8').send('x') }",
  ],
  [
    "(req, res) => { if (req.query.q) { res.set('X-Tea', 'yes') } res.json({}) }",
    "(req, res) => { if (req.query.q) { res.header('X-Tea', 'yes') } return res.json({}) }",
  ],
  [
    "(req, res) => { res.cookie('a', 'b'); const c = [1].map((n) => n); res.status(201).json({ c }) }",
    "(req, res) => { res.cookie('a', 'b'); const c = [1].map((n) => n); return res.status(201).json({ c }) }",
  ],
  [
    "(req, res) => { const { q } = req.query; if (typeof q === 'undefined') { return res.status(400).json({ reason: 'no q' }) } res.json({ q }) }",
    "(req, res) => { const { q } = req.query; if (typeof q === 'undefined') { return res.status(400).json({ reason: 'no q' }) } return res.json({ q }) }",
  ],
  [
    '(req, res) => { const q = req.query.q ?? null; res.json(q) }',
    '(req, res) => { const q = req.query.q ?? null; return res.json(q) }',
  ],
  [
    "(req, res) => {\n  res\n    .status(201)\n    .type('text/plain')\n    .send('made')\n}",
    "(req, res) => {\n  return res\n    .status(201)\n    .text('made')\n}",
  ],
  [
    'async (req, res, next) => {\n  const id = 1\n  try {\n    const id = await Promise.resolve(2)\n    res.json({ id })\n  } catch (error) {\n    // it is told elsewhere\n    next(error)\n  }\n  function late() { return id }\n}',
    'async (req, res) => {\n  const id = 1\n  try {\n    const id = await Promise.resolve(2)\n    return res.json({ id })\n  } catch (error) {\n    // it is told elsewhere\n    throw error\n  }\n  function late() { return id }\n}',
  ],
  [
    "(req, res) => res.type('css').send(Buffer.from('a{}'))",
    "(req, res) => res.header('Content-Type', 'text/css; charset=utf-8').send(Buffer.from('a{}'))",
  ],
  [
    "(req, res) => res.type('text/csv').send(Buffer.from('a'))",
    "(req, res) => res.header('Content-Type', 'text/csv; charset=utf-8').send(Buffer.from('a'))",
  ],
  [
    "(req, res) => { const bytes = Buffer.from('1'); res.set('Content-Type', 'application/javascript'); res.send(bytes) }",
    "(req, res) => { const bytes = Buffer.from('1'); res.header('Content-Type', 'application/javascript; charset=utf-8'); return res.send(bytes) }",
  ],
  [
    "(req, res) => { res.setHeader('Content-Type', 'text/css'); res.send(Buffer.from('a{}')) }",
    "(req, res) => { res.header('Content-Type', 'text/css'); return res.send(Buffer.from('a{}')) }",
  ],
  [
    "(req, res) => { const sent = req.query.q ? '1' : Buffer.from('1'); res.type('svg').send(sent) }",
    "(req, res) => { const sent = req.query.q ? '1' : Buffer.from('1'); return res.header('Content-Type', 'image/svg+xml').send(sent) }",
  ],
  [
    'async (req, res, next) => { const id = 1; try { const id = await Promise.resolve(2); res.json({ id }) } catch (error) { next(error) } }',
    'async (req, res) => { const id = 1; try { const id = await Promise.resolve(2); return res.json({ id }) } catch (error) { throw error } }',
  ],
  [
    "async (req, res, next) => { try { const id = await Promise.resolve(2); res.set('X-A', req.get('host') ?? ''); res.json({ id }) } catch (error) { next(error) } }",
    "async (req, res) => { const id = await Promise.resolve(2); res.header('X-A', req.get('host') ?? ''); return res.json({ id }) }",
  ],
  [
    "(req, res) => { if (req.params.id) { res.cookie('a', 'b') } res.cookie('a', 'b').json({}) }",
    "(req, res) => { if (req.params.id) { res.cookie('a', 'b') } return res.cookie('a', 'b').json({}) }",
  ],
  [
    "async (req, res, next) => { const id = () => 1; const of = 'outer'; try { const { of, ...others } = { of: id() }; res.json({ of, others }) } catch (error) { next(error) } }",
    "async (req, res) => { const id = () => 1; const of = 'outer'; try { const { of, ...others } = { of: id() }; return res.json({ of, others }) } catch (error) { throw error } }",
  ],
  [
    '(req, res) => { const one = [1, 2].find((n) => String(n) === req.query.q); if (!one || one > 1) return res.json([]); res.json(one) }',
    '(req, res) => { const one = [1, 2].find((n) => String(n) === req.query.q); if (!one || one > 1) return res.json([]); return res.json(one) }',
  ],
  [
    '(req, res) => { const one = [1].find((n) => String(n) === req.query.q); if (one !== undefined && req.query.q) { res.json(one) } else { res.json([]) } }',
    '(req, res) => { const one = [1].find((n) => String(n) === req.query.q); if (one !== undefined && req.query.q) { return res.json(one) } else { return res.json([]) } }',
  ],
  [
    '(req, res) => { if (req.query.q) { res.status(400).json([]); return false } res.json([1]); return undefined }',
    '(req, res) => { if (req.query.q) { return res.status(400).json([]); } return res.json([1]); }',
  ],
  [
    "(req, res) => { const { q } = req.query; if (!q || typeof q === 'object') return res.status(400).send(`${q ? 'many' : 'no'} q`); res.json([]) }",
    "(req, res) => { const { q } = req.query; if (!q || typeof q === 'object') return res.status(400).html(`${q ? 'many' : 'no'} q`); return res.json([]) }",
  ],
  ['(req, res) => { void res.json([]) }', '(req, res) => { return res.json([]) }'],
  [
    '(req, res, next) => { void Promise.resolve(1).then((n) => void res.json({ n })).catch(next); }',
    '(req, res) => { return Promise.resolve(1).then((n) => res.json({ n })); }',
  ],
  [
    '({ params: { id } }, res) => res.status(404).send(`no ${id}`)',
    '({ params: { id } }, res) => res.status(404).html(`no ${id}`)',
  ],
  [
    "(req, res) => res.clearCookie('a', {}).send(Array.from('ab'))",
    "(req, res) => res.cookie('a', '', { expires: new Date(0) }).json(Array.from('ab'))",
  ],
]

/** Those that need the request of Express itself: they are run in its routes alone. */
export const besides: readonly NativeCase[] = [
  [
    '(req, res) => res.json({ ip: req.ip, ips: req.ips, path: req.path, host: req.hostname, scheme: req.protocol })',
    '(req, res) => res.json({ ip: req.ip, ips: req.ips, path: req.path, host: req.hostname, scheme: req.protocol })',
  ],
  [
    '(req, res) => res.json({ secure: req.secure, xhr: req.xhr, base: req.baseUrl, subdomains: req.subdomains })',
    '(req, res) => res.json({ secure: req.secure, xhr: req.xhr, base: req.baseUrl, subdomains: req.subdomains })',
  ],
  [
    "(req, res) => res.json({ type: req.accepts('html'), is: req.is('json') })",
    "(req, res) => res.json({ type: req.accepts('html'), is: req.is('json') })",
  ],
  [
    "(req, res) => res.json({ of: req.get(['Ho', 'st'].join('')), from: req.get('Referrer') ?? null, agent: req.header('User-Agent') ?? null })",
    "(req, res) => res.json({ of: req.get(['Ho', 'st'].join('')), from: req.get('Referrer') ?? null, agent: req.get('User-Agent') ?? null })",
  ],
  [
    '(req, res) => { const shown = (one) => one.method + one.originalUrl; res.json({ shown: shown(req) }) }',
    '(req, res) => { const shown = (one) => one.method + one.originalUrl; return res.json({ shown: shown(req) }) }',
  ],
  [
    '(req, res) => { req.seen = true; req.session ??= { views: 0 }; req.session.views += 1; res.json({ seen: req.seen, ...req.session }) }',
    '(req, res) => { req.seen = true; req.session ??= { views: 0 }; req.session.views += 1; return res.json({ seen: req.seen, ...req.session }) }',
  ],
  [
    "(req, res) => { res.locals.title ??= 'Tea'; res.json({ title: res.locals.title, env: res.app.get('env'), own: req.app === res.app }) }",
    "(req, res) => { req.res.locals.title ??= 'Tea'; return res.json({ title: req.res.locals.title, env: req.app.get('env'), own: req.app === req.app }) }",
  ],
  [
    '(req, res) => { const { locals } = res.app; res.json({ locals: Object.keys(locals) }) }',
    '(req, res) => { const { locals } = req.app; return res.json({ locals: Object.keys(locals) }) }',
  ],
  [
    '({ ip, path, get }, res) => res.json({ ip, path, isThere: typeof get })',
    '({ ip, path, get }, res) => res.json({ ip, path, isThere: typeof get })',
  ],
  [
    "(req, res) => res.json({ user: req.user?.name ?? null, all: req[String('method')] })",
    "(req, res) => res.json({ user: req.user?.name ?? null, all: req[String('method')] })",
  ],
]

/** Those that become native in a route that no GET and no HEAD comes to. */
export const unsafe: readonly NativeCase[] = [
  ['(req, res) => res.send()', '(req, res) => res.end()'],
  ['(req, res) => res.status(204).send()', '(req, res) => res.status(204).end()'],
  ['(req, res) => { res.status(202).send(); }', '(req, res) => { return res.status(202).end(); }'],
]

/** TypeScript: the annotations of Express's types go, those within stay. */
export const typed: readonly NativeCase[] = [
  [
    '(req: any, res: any) => { res.json({ ip: req.ip }) }',
    '(req: any, res) => { return res.json({ ip: req.ip }) }',
  ],
  [
    'async (req: Request<{ id: string }>, res: Response, next: NextFunction): Promise<void> => { const id = req.params.id as string; res.json({ id }) }',
    'async (req, res) => { const id = req.params.id as string; return res.json({ id }) }',
  ],
  [
    "(req: Request, res: Response) => { res.send('a' as string) }",
    "(req, res) => { return res.html('a' as string) }",
  ],
]

/** A file whose last call registers a handler, and what that becomes. */
export const filed: readonly NativeCase[] = [
  [
    "function show(req, res) { res.json({ id: req.params.id }) }\napp.get('/', show)",
    'function show(req, res) { return res.json({ id: req.params.id }) }',
  ],
  ["const show = (req, res) => res.send('a')\napp.get('/', show)", "(req, res) => res.html('a')"],
  [
    "const teas = { list: async (req, res) => { res.json([]) }, async show(req, res) { res.json({}) } }\napp.get('/', teas.show)",
    'async (req, res) => { return res.json({}) }',
  ],
  [
    "const teas = { list: async (req, res) => { res.json([]) } }\napp.get('/', teas.list)",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "class Teas { constructor(app) { app.get('/', this.list) } list(req, res) { res.json([]) } }\nnew Teas(app)\n;() => 1",
    '(req, res) => { return res.json([]) }',
  ],
  [
    "class Teas { list = (req, res) => { res.json([]) }; add(app) { app.get('/', this.list.bind(this)) } }",
    '(req, res) => { return res.json([]) }',
  ],
  // Written in the place of `this.list`, a function has the same `this`, where the handler has had it.
  [
    "class Teas { list(req, res) { res.json({ all: this.all }) } add(app) { app.get('/', this.list.bind(this)) } }",
    '(req, res) => { return res.json({ all: this.all }) }',
  ],
  [
    "class Teas { list = (req, res) => { res.json({ all: this.all }) }; add(app) { app.get('/', this.list) } }",
    '(req, res) => { return res.json({ all: this.all }) }',
  ],
  [
    "const wrap = (fn) => (req, res, next) => Promise.resolve(fn(req, res, next)).catch(next)\nclass Teas { list = async (req, res) => { res.json({ all: this.all }) }; add(app) { app.get('/', wrap(this.list)) } }",
    'async (req, res) => { return res.json({ all: this.all }) }',
  ],
  [
    "class Teas { static list(req, res) { res.json([]) } }\napp.get('/', Teas.list)",
    '(req, res) => { return res.json([]) }',
  ],
  [
    "import wrap from 'express-async-handler'\napp.get('/', wrap(async (req, res) => { res.json([]) }))",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "const wrap = require('express-async-handler')\napp.get('/', wrap(async (req, res) => { res.json([]) }))",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "const wrap = (fn) => (req, res, next) => { Promise.resolve(fn(req, res, next)).catch((error) => next(error)) }\napp.get('/', wrap(async (req, res) => { res.json([]) }))",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "const wrap = (fn) => async (req, res, next) => { try { await fn(req, res, next) } catch (error) { next(error) } }\napp.get('/', wrap(async (req, res) => { res.json([]) }))",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "const wrap = (fn) => async (req, res, next) => { try { return await fn(req, res) } catch (error) { return next(error as Error) } }\napp.get('/', wrap(async (req, res) => { res.json([]) }))",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "const wrap = (fn) => function (req, res, next) { return Promise.resolve(fn(req, res, next)).catch((error) => { next(error) }) }\napp.get('/', wrap(async (req, res) => { res.json([]) }))",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "const wrap = (fn) => async (req, res, next) => { await fn(req, res, next).catch(next) }\napp.get('/', wrap(async (req, res) => { res.json([]) }))",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "const wrap = (fn) => (...args) => fn(...args).catch(args[2])\napp.get('/', wrap(async (req, res) => { res.json([]) }))",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "const wrap = (fn) => (...args) => Promise.resolve(fn(...args)).catch(args.at(-1))\napp.get('/', wrap(async (req, res) => { res.json([]) }))",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "const wrap = (fn) => function asyncUtilWrap(...args) { const fnReturn = fn(...args); const next = args[args.length - 1]; return Promise.resolve(fnReturn).catch(next) }\napp.get('/', wrap(async (req, res) => { res.json([]) }))",
    'async (req, res) => { return res.json([]) }',
  ],
  [
    "const code = 404\nconst options = { httpOnly: true }\napp.get('/', (req, res) => res.cookie('a', 'b', options).sendStatus(code))",
    "(req, res) => res.cookie('a', 'b', options).status(code).text('Not Found')",
  ],
]

/** Files whose last call registers a handler that is left, with the id of the reason. */
export const filedLefts: readonly NativeCase[] = [
  ["const show = (req, res) => res.json(this.all)\napp.get('/', show)", 'this'],
  [
    "const code = 404\nfunction add(app, code) { app.get('/', (req, res) => res.sendStatus(code)) }",
    'status-text',
  ],
  [
    "const options = { httpOnly: true }\noptions.maxAge = 1\napp.get('/', (req, res) => res.cookie('a', 'b', options).json({}))",
    'cookie-options',
  ],
  [
    "const options = { httpOnly: true }\nObject.assign(options, others)\napp.get('/', (req, res) => res.cookie('a', 'b', options).json({}))",
    'cookie-options',
  ],
  ["import { show } from './show.js'\napp.get('/', show)", 'elsewhere'],
  ["let show = (req, res) => res.json({})\napp.get('/', show)", 'elsewhere'],
  ["function show(req, res) { res.json({}) }\nshow = other\napp.get('/', show)", 'elsewhere'],
  ["import { wrap } from './wrap.js'\napp.get('/', wrap((req, res) => res.json({})))", 'made'],
  [
    "const wrap = (fn) => (req, res, next) => { log(req); fn(req, res, next).catch(next) }\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => (req, res, next) => fn(res, req, next).catch(next)\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => async (req, res, next) => { try { await fn(req, res, next) } catch (error) { log(error); next(error) } }\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => async (req, res, next) => { try { await fn(req, res, next) } catch (error) { next() } }\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => async (req, res, next) => { try { await fn(req, res, next) } catch (error) { next(error) } finally { log() } }\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => async (req, res, next) => { try { fn(req, res, next) } catch (error) { next(error) } }\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => async (req, res, next) => { try { log(req); await fn(req, res, next) } catch (error) { next(error) } }\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => async (req, res, next) => { try { await fn(res, req, next) } catch (error) { next(error) } }\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => (req, res, next) => { const started = log(req); return fn(req, res, next).catch(next) }\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => (...args) => fn(...args).catch(args[1])\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => (...args) => fn(args).catch(args[2])\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => (...args) => fn(...args, log).catch(args[2])\napp.get('/', wrap((req, res) => res.json({})))",
    'made',
  ],
  [
    "const wrap = (fn) => (req, res, next) => guard.resolve(fn(req, res, next)).catch(next)\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  [
    "const wrap = (fn) => (req, res, next) => Promise.resolve(fn(req, res, next), log(req)).catch(next)\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  [
    "const wrap = (fn) => (req, res, next) => fn(req, res, next).catch(next, log(req))\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  [
    "const wrap = (fn) => async function* (req, res, next) { try { await fn(req, res, next) } catch (error) { next(error) } }\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  [
    "const wrap = (fn) => (req, res, next) => fn(req, res, next).catch(function* (error) { next(error) })\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  [
    "const wrap = (fn) => async function fn(req, res, next) { try { await fn(req, res, next) } catch (error) { next(error) } }\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  [
    "const wrap = (fn) => (fn, res, next) => fn(fn, res, next).catch(next)\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  [
    "const wrap = (fn) => (req, res, next) => fn(req, res, next).catch((next) => next(next))\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  [
    "const wrap = (fn) => async (...args) => { try { await fn(...args) } catch (args) { args[2](args) } }\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  ["for (const wrap of wraps) app.get('/', wrap(async (req, res) => { res.json({}) }))", 'made'],
  [
    "declare const wrap: (fn: unknown) => never\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  [
    "function wrap(fn) { return (req, res, next) => fn(req, res, next).catch(next) }\n;[wrap] = others\napp.get('/', wrap(async (req, res) => { res.json({}) }))",
    'made',
  ],
  ["function show(req, res) { res.json({}) }\n;({ show } = others)\napp.get('/', show)", 'elsewhere'],
  ["const teas = new Teas()\napp.get('/', teas.list)", 'method'],
  ["class Routes { teas = make()\nadd(app) { app.get('/', this.teas.list.bind(this.teas)) } }", 'method'],
  ["const teas = require('./teas')\napp.get('/', teas.list)", 'elsewhere'],
  ["const show = make()\napp.get('/', show)", 'made'],
  [
    "class Teas { list(req, res) { res.json({ all: this.all }) } add(app) { app.get('/', this.list) } }",
    'this',
  ],
  [
    "class Teas { list(req, res) { res.json({ all: this.all }) } add(app) { app.get('/', this.list.bind(other)) } }",
    'this',
  ],
  [
    "class Teas { list(req, res) { res.json({ all: this.all }) } add(app) { app.get('/', Teas.prototype.list.bind(this)) } }",
    'elsewhere',
  ],
  [
    "const find = () => 1\nfunction show(req, res) { res.json(find()) }\nfunction add(app, find) { app.get('/', show) }",
    'hidden-name',
  ],
  [
    "function made() { const own = 1; function show(req, res) { res.json(own) } return show }\napp.get('/', show)",
    'elsewhere',
  ],
]

/** TypeScript that is left, with the id of the reason. */
export const typedLefts: readonly NativeCase[] = [
  ['(req: Request, res: Response) => { res.json({ ip: req.ip }) }', 'req-types'],
  ['({ ip }: Request, res: Response) => { res.json({ ip }) }', 'req-types'],
  ['(req: Request, res: Response) => { res.json({ a: req[name] }) }', 'req-types'],
  ['(req: AuthRequest, res: Response) => { res.json({ id: req.params.id }) }', 'req-own-type'],
  ['(req: Request, res: Response) => { res.json({ a: req.body.a }) }', 'body-type'],
  ['(req: Request, res: Response) => { const { body } = req; res.json({ a: body.a }) }', 'body-type'],
  ['(req: Request, res: Response) => { log(req); res.json({}) }', 'req-passed'],
  ['(req: Request, res: Response) => { res.json({ user: res.locals.user }) }', 'res-member'],
  ['<T>(req: Request, res: Response) => { res.json({}) }', 'type-parameters'],
]

/** TypeScript that needs a type besides those of a native request. */
export const typesOfOwn: readonly (readonly [source: string, type: string | undefined])[] = [
  ['(req: Request, res: Response) => { res.json({ id: req.params.id }) }', undefined],
  ['(req, res) => { res.json({ id: req.params.id }) }', undefined],
  ['(req: any, res: any) => { res.json({ ip: req.ip }) }', undefined],
  ['(req: Request, res: Response) => { res.json({ ip: req.ip }) }', 'Request'],
  ['({ ip }: express.Request, res: Response) => { res.json({ ip }) }', 'express.Request'],
  ['(req: Request<P, B>, res: Response) => { log(req); res.json({}) }', 'Request<P, B>'],
  ['(req: Request, res: Response) => { res.json({ a: req[name] }) }', 'Request'],
  ['(req: AuthRequest, res: Response) => { res.json({ id: req.params.id }) }', 'AuthRequest'],
  ['(req: Request<{}, {}, Tea>, res: Response) => { res.json({ a: req.body.a }) }', 'Request<{}, {}, Tea>'],
  ['(req, res) => { res.json({ a: req.body as Tea }) }', undefined],
  ['(req: Request, res: Response) => { res.json({ a: res.locals.user, b: res.__("tea") }) }', 'Request'],
]

/** Those that are left, with the id of the reason. */
export const lefts: readonly NativeCase[] = [
  ['getUser', 'elsewhere'],
  ['() => {}', 'no-response'],
  ['(req) => 1', 'no-response'],
  ['(req, { json }) => json({})', 'taken-apart'],
  ['(error, req, res, next) => res.json({})', 'error-handler'],
  ['function* (req, res) { res.json({}) }', 'generator'],
  ['function (req, res) { this.log(); res.json({}) }', 'this'],
  ['function (req, res) { log(arguments); res.json({}) }', 'arguments'],
  ['(req, res) => { eval(code); res.json({}) }', 'eval'],
  ['(req, res) => { { const req = 1 } res.json({}) }', 'shadowed'],
  ['(req, res) => { list.map((res) => res.id); res.json({}) }', 'shadowed'],
  ['(req, res) => { function res() {} res.json({}) }', 'shadowed'],
  // Where it goes.
  ['(req, res) => { if (req.query.q) res.json([1]); res.json([2]) }', 'after-answer'],
  ['(req, res, next) => { try { load() } catch (e) { next(e) } res.json({}) }', 'after-answer'],
  ['(req, res) => { res.json({}); log() }', 'after-answer'],
  ['(req, res) => { if (a) { res.json({}); return log() } res.json([]) }', 'after-answer'],
  ['(req, res) => { for (const one of list) { res.json({ one }); break } }', 'after-answer'],
  ['(req, res) => { switch (a) { case 1: res.json([1]); default: res.json([2]) } }', 'after-answer'],
  ['(req, res) => res.json({}).status(404).json({})', 'after-answer'],
  ['(req, res) => { load().then((a) => res.json(a)).then(log) }', 'no-answer'],
  ['(req, res) => { load().then((a) => res.json(a)).then((b) => res.json(b)) }', 'after-answer'],
  ['(req, res) => { if (req.query.q) res.json({}) }', 'no-answer'],
  ['(req, res) => { if (req.query.q) return; res.json({}) }', 'no-answer'],
  ['(req, res) => {}', 'no-answer'],
  ['(req, res) => { switch (a) { case 1: res.json([1]) } }', 'no-answer'],
  [
    '(req, res) => { switch (a) { case 1: if (b) break; res.json([1]); break; default: res.json([2]) } }',
    'no-answer',
  ],
  ['(req, res) => { for (const one of list) return res.json({ one }) }', 'no-answer'],
  ['(req, res) => { load().then((a) => { if (a) res.json(a) }) }', 'no-answer'],
  ['(req, res) => { load().then((a) => res.json(a)).catch(console.error) }', 'no-answer'],
  ['(req, res) => { load().catch((error) => res.json(error)) }', 'json-undefined'],
  ['(req, res) => { load((user) => res.json(user)) }', 'json-undefined'],
  ['(req, res) => { load((user) => res.status(user.code).end()) }', 'status'],
  ["(req, res) => { load((user) => res.cookie('a', user).end()) }", 'cookie-value'],
  ['(req, res) => { const { to } = req.query; res.redirect(to) }', 'redirect'],
  ['(req, res) => { load((user) => res.redirect(user.url)) }', 'redirect'],
  ['(req, res) => { load((user) => { res.json({ user }); res.json({}) }) }', 'after-answer'],
  ['(req, res) => { load((user) => res.json({ user })); log() }', 'callback'],
  ['(req, res) => { try { load((user) => res.json({ user })) } catch (error) { res.json({}) } }', 'callback'],
  ['(req, res) => { const resolve = 1; load((user) => res.json({ user })) }', 'callback'],
  ['(req, res, next) => { load((user) => { if (!user) return next(); res.json({ user }) }) }', 'next'],
  ['(req, res, next) => load(next, () => res.json({}))', 'callback'],
  ['(req, res) => { load().then(() => load((a) => res.json(a))) }', 'callback'],
  ['(req, res) => { load().then(function* (a) { res.json(a) }) }', 'callback'],
  ['(req, res) => { load().then((a) => res.json(a)).finally(() => res.json({})) }', 'callback'],
  ['(req, res) => { req.query.q ? res.json([1]) : log() }', 'expression'],
  ['(req, res) => { req.query.q ? log() : res.json([1]) }', 'expression'],
  ['(req, res) => (req.query.q ? res.json([1]) : log())', 'expression'],
  ['(req, res) => { req.query.q ? res.json([1]) : res.status(404) }', 'expression'],
  ['(req, res) => (req.query.q ? res.json([1]) : req.query.r ? res.json([2]) : log())', 'expression'],
  ["(req, res) => { res.clearCookie('a', { expires: new Date(0) }).json([1]) }", 'cookie-option'],
  ["(req, res) => { res.clearCookie('a', { maxAge: 1 }).json([1]) }", 'cookie-option'],
  ["(req, res) => { res.clearCookie('a', { sameSite: 'none' }).json([1]) }", 'cookie-option'],
  ["(req, res) => { res.cookie('a', 'b', { sameSite: 'none', secure: false }).json([1]) }", 'cookie-option'],
  [
    "(req, res) => { res.cookie('a', 'b', { sameSite: 'none', secure: isSecure }).json([1]) }",
    'cookie-option',
  ],
  ['(req, res) => { res.status(299).send() }', 'empty'],
  ['(req, res) => { load().catch((e) => res.json([1])).then((a) => res.json([a])) }', 'callback'],
  ['(req, res) => { try { load((a) => res.json([a])) } catch (e) { res.json([1]) } }', 'callback'],
  ["(req, res) => { res['json']({}) }", 'expression'],
  ['(req, res) => { res.statusCode += 1; res.json({}) }', 'expression'],
  ['(req, res) => { req.query.q && res.json({}) }', 'expression'],
  ['(req, res) => { const sent = res.json({}); return sent }', 'expression'],
  ['(req, res) => { all: for (;;) { res.json({}); break all } }', 'label'],
  ['(req, res) => { return 1; res.json({}) }', 'other-value'],
  ['(req, res) => { try { res.json({}) } finally { await log() } }', 'before-finally'],
  ['(req, res) => { try { load() } finally { res.json({}) } }', 'before-finally'],
  // What it gives on.
  ['(req, res, next) => { if (req.query.q) return next(); res.json({}) }', 'next'],
  ['(req, res, next) => { log(next); res.json({}) }', 'next'],
  ['(req, res, next) => { load().then((a) => res.json(a)).catch(next).then(log) }', 'next'],
  ["(req, res, next) => { if (req.query.q) return next('route'); res.json({}) }", 'next-value'],
  [
    '(req, res, next) => { try { load() } catch (err) { log(err) } if (a) return next(err); res.json({}) }',
    'next-value',
  ],
  ['(req, res, next) => { if (req.query.q) return next(req.query.q); res.json({}) }', 'next-value'],
  ["async (req, res) => { if (req.query.q) throw 'route'; res.json({}) }", 'next-value'],
  ["async (req, res) => { if (req.query.q) throw 'router'; res.json({}) }", 'next-value'],
  ['async (req, res) => { if (req.query.q) throw undefined; res.json({}) }', 'next-value'],
  [
    '(req, res, next) => { try { if (a) return next(new Error()); res.json({}) } catch (e) { res.json([]) } }',
    'next-in-try',
  ],
  [
    '(req, res, next) => { try { try { load() } catch (e) { return next(e) } res.json({}) } catch (e) { res.json([]) } }',
    'next-in-try',
  ],
  [
    '(req, res, next) => load().then((a) => { if (!a) return next(new Error()); res.json(a) }).catch((e) => res.json(e))',
    'next-in-try',
  ],
  ['(req, res, next) => next(new Error())', 'no-answer'],
  // What it does with its response.
  ['(req, res) => { sendError(res, 404) }', 'res-passed'],
  ['(req, res) => { if (denied(req, res)) return; res.json({}) }', 'res-passed'],
  ['(req, res) => { log({ res }); res.json({}) }', 'res-passed'],
  ['(req, res) => { const out = res; res.json({}) }', 'res-named'],
  ['(req, res) => { if (res.headersSent) return res.json({}); return res.json([]) }', 'res-member'],
  ['(req, res) => { res.write("a"); res.end() }', 'res-member'],
  ["(req, res) => res.sendFile('/a')", 'res-member'],
  ["(req, res) => { res.on('close', log); res.json({}) }", 'res-member'],
  ['(req, res) => res[method]({})', 'res-member'],
  ["(req, res) => res.status(201).location('back').json({})", 'redirect'],
  ['(req, res) => res.status(201).location(req.query.to).json({})', 'redirect'],
  ["(req, res) => res.status(201).location('/a', 1).json({})", 'redirect'],
  ['(req, res) => { load((user) => res.location(user.url).json({})) }', 'redirect'],
  ["(req, res) => res.attachment('a.csv').send('a')", 'res-member'],
  ['(req, res) => res.redirect(req.query.to)', 'redirect'],
  ["(req, res) => res.redirect(req.get('Set-Cookie') || '/')", 'redirect'],
  ["(req, res) => res.redirect(req.get(name) || '/')", 'redirect'],
  ["(req, res) => res.redirect(req.query.to || '/')", 'redirect'],
  ["(req, res) => res.redirect(req.get('Referrer') && '/')", 'redirect'],
  ['(req, res) => res.redirect(code, url)', 'redirect'],
  ["(req, res) => res.redirect(300, '/')", 'redirect'],
  ["(req, res) => res.redirect(304, '/')", 'redirect'],
  ['(req, res) => res.send({ then: 1 })', 'send-value'],
  ['(req, res) => res.json(req.query.a && 1)', 'json-undefined'],
  ["(req, res) => res.redirect(301 /* for good */, '/')", 'redirect'],
  ["(req, res) => res.redirect((301), '/')", 'redirect'],
  ["(req, res) => res.redirect('/', 301)", 'redirect'],
  ["(req, res) => res.end('text')", 'end'],
  ['(req, res) => res.status(204).send()', 'empty'],
  ['(req, res) => res.status(100).json({})', 'status'],
  ["(req, res) => res.status('404').json({})", 'status'],
  ['(req, res) => res.status(req.query.q ? 600 : 200).json({})', 'status'],
  ['(req, res) => res.status(304).end()', 'status-headers'],
  ['(req, res) => res.sendStatus(304)', 'status-headers'],
  ['(req, res) => res.sendStatus(code)', 'status-text'],
  ["(req, res) => res.type('html').sendStatus(404)", 'status-text'],
  ["(req, res) => { if (a) { res.type('html') } res.sendStatus(404) }", 'status-text'],
  ['(req, res) => { res.status(404); const a = load(); res.json({ a }) }', 'error-first'],
  ['(req, res) => { res.status(404); load().then((a) => res.json(a)) }', 'error-first'],
  ['(req, res) => { if (a) { res.status(404) } res.json({}) }', 'error-first'],
  ["(req, res) => { res.set('X-A', 'a'); if (a) throw new Error(); res.json({}) }", 'set-first'],
  [
    "(req, res, next) => { if (a) { res.cookie('a', 'b') } if (b) return next(new Error()); res.json({}) }",
    'set-first',
  ],
  [
    "(req, res, next) => { res.set('X-A', 'a'); try { res.json(load()) } catch (error) { next(error) } }",
    'set-first',
  ],
  [
    "async (req, res, next) => { try { res.set('X-A', 'a'); res.json(await load()) } catch (error) { next(error) } }",
    'set-first',
  ],
  ['(req, res) => res.status(404).json({ reason: reasonOf(req.params.id) })', 'error-throws'],
  ['(req, res) => res.status(404).send(`no ${req.query.q}`)', 'error-throws'],
  ['(req, res) => { const q = a ? req.query.q : 1; res.status(404).send(`no ${q}`) }', 'error-throws'],
  ['(req, res) => { const { q } = req.query; res.status(404).send("no " + q) }', 'error-throws'],
  ['(req, res) => { res.status(404); req.body.a ? res.json([1]) : res.json([2]) }', 'error-throws'],
  ['({ query: { q } }, res) => res.status(404).send(`no ${q}`)', 'error-throws'],
  ['(req, res) => res.status(400).json({ name: req.body.name })', 'error-throws'],
  ['async (req, res) => res.status(400).json({ all: await load() })', 'error-throws'],
  ['(req, res) => res.status(code).json({ name: req.body.name })', 'error-throws'],
  ['(req, res) => { res.status(404); res.json({ name: req.body.name }) }', 'error-throws'],
  ["(req, res) => res.status(404).set('X-A', 'a').json({ name: req.body.name })", 'error-throws'],
  ["(req, res) => { res.status(404).set('X-A', 'a'); res.json({ name: req.body.name }) }", 'error-throws'],
  [
    "(req, res) => { res.status(404); res.set('X-A', 'a'); res.json({ name: req.body.name }) }",
    'error-throws',
  ],
  [
    "(req, res) => { res.status(404).set('X-A', 'a').set('X-B', req.body.name); res.json({}) }",
    'error-throws',
  ],
  ['(req, res) => res.status().json({})', 'no-value'],
  ["(req, res) => res.status(404, 'none').json({})", 'no-value'],
  ["(req, res) => res.set('X-A', ...all).json({})", 'no-value'],
  ['(req, res) => res.set({}).json({})', 'no-value'],
  ["(req, res) => res.clearCookie('a', {}, 1).json({})", 'no-value'],
  ['(req, res) => res.json()', 'no-value'],
  ['(req, res) => res.json(...all)', 'no-value'],
  ['(req, res) => res.json(users.find((one) => one.id))', 'json-undefined'],
  ['(req, res) => { const user = users.find(Boolean); res.json(user) }', 'json-undefined'],
  ['(req, res) => { const user = users.find(Boolean); if (user) log(); res.json(user) }', 'json-undefined'],
  ['(req, res) => { const user = users.find(Boolean); if (!user) log(); res.json(user) }', 'json-undefined'],
  [
    '(req, res) => { const user = users.find(Boolean); if (!user && a) return res.json([]); res.json(user) }',
    'json-undefined',
  ],
  [
    '(req, res) => { const user = users.find(Boolean); if (user || a) return res.json(user); res.json([]) }',
    'json-undefined',
  ],
  ['(req, res) => res.json(req.query.q)', 'json-undefined'],
  ['(req, res) => res.json(void 0)', 'json-undefined'],
  ['(req, res) => res.json(undefined)', 'json-undefined'],
  ["(req, res) => res.json(req.get('Host'))", 'json-undefined'],
  ['(req, res) => res.json(req.headers.host)', 'json-undefined'],
  ['(req, res) => res.json(req.body)', 'json-undefined'],
  ['(req, res) => res.json(teas[0])', 'json-undefined'],
  ['(req, res) => res.json(teas[req.params.id])', 'json-undefined'],
  ['(req, res) => { const tea = teas[name]; res.json(tea) }', 'json-undefined'],
  ['async (req, res) => res.json(await teas.find(req.params.id))', 'json-undefined'],
  ['async (req, res) => { const tea = await cache.get(name); res.json(tea) }', 'json-undefined'],
  ['(req, res) => res.json(user?.name)', 'json-undefined'],
  ['async (req, res) => res.json(await user?.update())', 'json-undefined'],
  ['async (req, res) => { const now = await user?.update(); res.json(now) }', 'json-undefined'],
  ['(req, res) => res.json({ then: 1 })', 'json-undefined'],
  ['(req, res) => res.send(text)', 'send-value'],
  ['(req, res) => res.send(404)', 'send-value'],
  ['(req, res) => res.send(null)', 'send-value'],
  ["(req, res) => res.type('text').send(null)", 'send-value'],
  ["(req, res) => res.type('json').send(a ? !b : 'text')", 'send-value'],
  ["(req, res) => res.type('json').send(a || 1)", 'send-value'],
  ["(req, res) => res.type('json').send(users.find(Boolean))", 'send-value'],
  ["(req, res) => { if (a) { res.type('text') } res.send(b) }", 'send-value'],
  ["(req, res) => res.set('ETag', '1').send('a')", 'header'],
  ["(req, res) => { res.setHeader('Content-Length', 1); res.send('a') }", 'header'],
  ["(req, res) => res.set('X-A', ' a').send('a')", 'header'],
  ["(req, res) => res.set('X-A', true).json({})", 'header-value'],
  ["(req, res) => res.set('X-A', !all).json({})", 'header-value'],
  ["(req, res) => res.set('X-A', null).json({})", 'header-value'],
  ["(req, res) => res.set('X-A', undefined).json({})", 'header-value'],
  ["(req, res) => res.set('X-A', ['a', 'b']).json({})", 'header-value'],
  ["(req, res) => res.set({ 'X-A': req.query.a }).json({})", 'header-value'],
  ["(req, res) => res.set('X-A', req.query.a || 'none').json({})", 'header-value'],
  ["(req, res) => { const { a } = req.body; res.header('X-A', a).json({}) }", 'header-value'],
  ["(req, res) => res.setHeader('X-A', req.get('X-B')).json({})", 'header-value'],
  ["(req, res) => { res.setHeader('Content-Type', req.query.type); res.json({}) }", 'header-value'],
  ["(req, res) => res.set(name, 'a').json({})", 'header-name'],
  ['(req, res) => res.set(headers).json({})', 'header-name'],
  ["(req, res) => res.set({ /* why */ 'X-A': 'a' }).json({})", 'header-name'],
  ['(req, res) => res.set({ ...headers }).json({})', 'header-name'],
  ["(req, res) => res.set({ 'X-A': 'a' /* why */ }).json({})", 'header-name'],
  ["(req, res) => res.type('js').send('1')", 'type'],
  ["(req, res) => res.type(name).send('1')", 'type'],
  ["(req, res) => res.set('Content-Type', type).send('a')", 'type'],
  ["(req, res) => res.set('Content-Type', 'text/plain; charset=latin1').send(bytes)", 'type'],
  ["(req, res) => res.cookie('a b', 'c').json({})", 'cookie-name'],
  ["(req, res) => res.cookie('__Host-a', 'c').json({})", 'cookie-name'],
  ["(req, res) => res.cookie('a', { b: 1 }).json({})", 'cookie-value'],
  ["(req, res) => { const b = [1]; res.cookie('a', b).json({}) }", 'cookie-value'],
  ["(req, res) => res.cookie('a', null).json({})", 'cookie-value'],
  ["(req, res) => res.cookie('a', req.query.a).json({})", 'cookie-value'],
  ["(req, res) => { const { a = 'b' } = req.query; res.cookie('a', a).json({}) }", 'cookie-value'],
  ['(req, res) => res.status(req.query.status).json({})', 'status'],
  ['(req, res) => { const { status } = req.body; res.status(status).json({}) }', 'status'],
  ["(req, res) => res.cookie('a', 'b', options).json({})", 'cookie-options'],
  ["(req, res) => res.cookie('a', 'b', { ...options }).json({})", 'cookie-options'],
  ["(req, res) => res.cookie('a', 'b', { maxAge: age }).json({})", 'cookie-option'],
  [
    "(req, res) => { const options = { maxAge: 1000 }; res.cookie('a', 'b', options).json({}) }",
    'cookie-option',
  ],
  ["(req, res) => res.cookie('a', 'b', { partitioned: all }).json({})", 'cookie-option'],
  ["(req, res) => res.cookie('a', 'b', { signed: true }).json({})", 'cookie-option'],
  ["(req, res) => res.cookie('a', 'b', { sameSite: 'none', secure: safe }).json({})", 'cookie-option'],
  ["(req, res) => res.clearCookie('a', { maxAge: 1 }).json({})", 'cookie-option'],
  ["(req, res) => res.clearCookie('a', { expires: new Date(1e12) }).json({})", 'cookie-option'],
  ['(req, res) => { let sent; sent = req.body; res.json(sent.name) }', 'json-undefined'],
  ['(req, res) => { for (const one of req.body.all) return res.json(one.name) }', 'json-undefined'],
  // What it reads of its request.
  ['(req, res) => { const { [a]: b } = req; res.json({ b }) }', 'req-member'],
  ['(req, res) => res.json({ a: req.signal })', 'req-member'],
  ['(req, res) => res.json({ a: req.route.path })', 'req-member'],
  ['({ signal }, res) => res.json({ signal })', 'req-member'],
  ['(req, res) => { const { rawBody } = req; res.json({ rawBody }) }', 'req-member'],
  ['(req, res) => res.json({ a: req.cookies })', 'req-member'],
  ['(req, res) => res.json({ a: req.cookies?.a ?? null })', 'req-member'],
  ['({ cookies }, res) => res.json({ a: cookies?.a ?? null })', 'req-member'],
  ['(req, res) => { const { cookies = {} } = req; res.json({ a: cookies.a ?? null }) }', 'req-member'],
  ['(req, res) => { const all = req.cookies; res.json({ a: all ? all.a : null }) }', 'req-member'],
  ['(req, res) => res.json({ a: known[req.cookies] ?? null })', 'req-member'],
  ["(req, res) => { req.url = '/'; res.json({}) }", 'req-written'],
]
