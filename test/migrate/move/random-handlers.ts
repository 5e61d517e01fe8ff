// Handlers of Express, by a seed: what the field writes, put together at random, with what cannot become native among it.

/** A generator of numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** So many handlers. Those with helpers call functions of `helper-cases.ts` too. */
export function randomHandlers(count: number, seed: number, { hasHelpers = false } = {}): string[] {
  const next = numbersOf(seed)
  const number = (below: number): number => Math.floor(next() * below)
  const one = <T>(...list: readonly T[]): T => list[number(list.length)]!
  const often = (likely: number): boolean => next() < likely

  const read = (): string =>
    one(
      'req.params.id',
      'req.query.q',
      'req.query.list',
      'req.query.deep',
      'req.body',
      'req.method',
      'req.originalUrl',
      'req.url',
      "req.get('X-Json')",
      "req.header('host')",
      "req.headers['content-type']",
      'req.path',
      'req.query',
    )
  const value = (depth = 0): string =>
    depth > 2 || often(0.5)
      ? one(
          read,
          read,
          () => String(number(100)),
          () => one("'text'", '"ü"', 'null', 'true', 'undefined', 'local'),
        )()
      : one(
          object,
          array,
          text,
          () => `!${read()}`,
          () => `(${read()} ? ${value(depth + 1)} : ${value(depth + 1)})`,
        )(depth + 1)
  const object = (depth = 0): string =>
    `{ ${Array.from({ length: number(4) }, (_, at) => `${one('id', 'name', 'list', '"a b"').replace(/(\w)("?)$/, `$1${at}$2`)}: ${value(depth + 1)}`).join(', ')} }`
  const array = (depth = 0): string =>
    `[${Array.from({ length: number(3) }, () => value(depth + 1)).join(', ')}]`
  const text = (_depth = 0): string =>
    one(
      () => "'plain'",
      () => "''",
      () => "'<b>ü</b>'",
      () => '`at ${req.params.id}`',
      () => '`${req.method} ${req.originalUrl}`',
      () => `'n' + ${number(9)}`,
      () => "'q ' + String(req.query.q)",
      () => 'local',
    )()
  const status = (): string =>
    often(0.6)
      ? ''
      : `.status(${one<number | string>(200, 201, 202, 204, 205, 400, 403, 404, 409, 418, 500, 503, 'code', `${read()} ? 201 : 404`)})`
  const cookie = (): string =>
    `.cookie('c${number(3)}', ${text()}${often(0.5) ? '' : `, { ${[`maxAge: ${one('1000', '60 * 1000', '1500', '0', '2 * 3600 * 1000', 'age')}`, 'httpOnly: true', "sameSite: 'strict'", "path: '/p'", 'secure: false'].filter(() => often(0.5)).join(', ')} }`})`
  const header = (): string =>
    one(
      () => `.${one('set', 'header')}('X-${one('A', 'B')}', '${one('1', 'two words', 'x=y; z')}')`,
      () => `.set({ 'X-A': '${number(9)}', 'Cache-Control': ${one("'no-store'", 'req.method')} })`,
      () =>
        `.location(${one("'/teas'", "'/q/' + req.query.q", '`/${req.params.id}`', 'req.query.q', "'back'")})`,
      () =>
        `.${one('type', 'contentType')}('${one('json', 'html', 'txt', 'text', 'xml', 'css', 'csv', 'svg', 'text/plain', 'application/xml', 'js')}')`,
      () =>
        `.${one('set', 'header')}('Content-Type', '${one('text/plain', 'text/html; charset=utf-8', 'application/json')}')`,
      () =>
        `.clearCookie('c${number(3)}'${one('', ", { path: '/p' }", ', { httpOnly: true, secure: true }')})`,
    )()
  const state = (): string => [status(), often(0.15) ? cookie() : '', often(0.25) ? header() : ''].join('')
  // What a callback throws ends the process, in Express too.
  let isLate = false
  const end = (): string =>
    one(
      () => `.json(${one(object, object, array, value)()})`,
      () => `.json(${one(object, array)()})`,
      // Of a number Express 4 makes a status, which may be none.
      () => `.send(${one(text, text, object, array, isLate ? object : value)()})`,
      () => (often(0.3) ? one('.end()', '.send()') : `.json(${object()})`),
      () =>
        often(0.3)
          ? `.redirect(${one('', '301, ', '308, ', '304, ')}${one(
              text,
              () => "'/teas?a=ü'",
              () => "'/q/' + req.query.q",
              () => "req.get('referer') || '/'",
            )()})`
          : `.send(${text()})`,
    )()
  const file = (): string =>
    `res.${one('sendFile', 'download')}('${one('/etc/hostname', '/etc', '/etc/none')}'${one('', '', ', { maxAge: 1000 }')})`
  const answer = (): string =>
    often(0.08)
      ? `res.sendStatus(${one(200, 201, 204, 400, 401, 404, 500)})`
      : often(0.04)
        ? file()
        : `res${state()}${end()}`
  const inLate = (make: () => string): string => {
    const before = isLate
    isLate = true
    const text = make()
    isLate = before
    return text
  }
  const inCallback = (depth: number): string => inLate(() => ending(depth + 1))
  const later = (depth: number): string =>
    one(
      () => `setImmediate(() => { ${inCallback(depth)} })`,
      () => `setTimeout(() => ${inLate(answer)}, 1)`,
      () =>
        `((call) => call(null, ${value(1)}))((error, one) => { if (${read()}) return next(${failure()}); ${inCallback(depth)} })`,
      () => `setImmediate(function () { try { ${ending(depth + 1)} } catch (error) { next(error) } })`,
      () =>
        `(async () => { await null; ${ending(depth + 1)} })().catch(${one('next', '(error) => next(error)')})`,
      () => `Promise.resolve(${value(1)}).then((one) => { setImmediate(() => { ${inCallback(depth)} }) })`,
    )()
  const statement = (): string =>
    one(
      () => 'const local = ' + one('"constant"', '`${req.method}`', '{ a: 1 }', '[1]') + ';',
      () =>
        `const found = [1, 2].filter((n) => n > Number(${one('req.params.id', 'req.query.q', 'req.url')}));`,
      () => 'await null;',
      () => 'let count = 0; for (const n of [1, 2]) { if (n) count += n }',
      () => `res.setHeader('X-Set', ${one("'1'", 'req.params.id', 'String(req.query.q)')});`,
      () => `res.statusCode = ${one<number | string>(200, 202, 404, 'code')};`,
      () => `if (${read()}) { res${header()} }`,
      () => `res${header()};`,
      () => `const { id, ...others } = req.${one('params', 'query')};`,
    )()
  const failure = (): string =>
    one(
      () => "new Error('no')",
      () => `Object.assign(new Error('no'), { status: ${one(400, 404, 500)} })`,
    )()
  const promise = (depth: number): string =>
    [
      `Promise.resolve(${value(1)})`,
      one('', '.then((one) => [one])', '.then((one) => one)'),
      one(
        () => `.then((one) => ${answer()})`,
        () => `.then((one) => { ${ending(depth + 1)} })`,
      )(),
      one(
        () => '.catch(next)',
        () => '.catch((error) => next(error))',
        () => `.catch((error) => { ${ending(3)} })`,
        () => `.catch((error) => { if (${read()}) return ${answer()}; next(error) })`,
      )(),
      one('', '', '.finally(() => null)'),
    ].join('')
  const ending = (depth: number): string => {
    if (hasHelpers && often(0.35)) return helped(depth)
    const kind = number(depth > 2 ? 3 : 17)
    if (kind === 6 && isLate) return `return ${answer()};`
    if (kind === 0) return `return ${answer()};`
    if (kind === 1) return `${answer()};`
    if (kind === 2) return `return void ${answer()};`
    if (kind === 3) return `if (${read()}) { ${ending(depth + 1)} } else { ${ending(depth + 1)} }`
    if (kind === 4) return `if (!${read()}) { ${answer()}; return; } ${ending(depth + 1)}`
    if (kind === 5) return `try { ${ending(depth + 1)} } catch { ${ending(depth + 1)} }`
    if (kind === 6)
      return `if (${read()}) throw Object.assign(new Error('no'), { status: ${one(400, 404, 500)} }); ${ending(depth + 1)}`
    if (kind === 7) return `${read()} ? ${answer()} : ${answer()};`
    if (kind === 8) return `if (!${read()}) return ${answer()}; ${ending(depth + 1)}`
    if (kind === 9) return `if (${read()}) return next(${failure()}); ${ending(depth + 1)}`
    if (kind === 10) return `if (${read()}) { next(${failure()}); return } ${ending(depth + 1)}`
    if (kind === 11) return `try { ${ending(depth + 1)} } catch (error) { ${one('', 'return ')}next(error) }`
    if (kind === 12)
      return `try { ${ending(depth + 1)} } catch (error) { if (${read()}) return ${answer()}; next(error) }`
    if (kind === 13)
      return `switch (req.method) { case 'GET': ${ending(depth + 1)} ${one('break;', '')} case 'PUT': { ${ending(depth + 1)} ${one('break', '')} } default: ${ending(depth + 1)} }`
    if (kind === 14)
      return `for (const n of [1, 2]) { if (${read()} === n) { ${one(`return ${answer()}`, `${answer()}; return`)} } } ${ending(depth + 1)}`
    if (kind === 15) return `${later(depth)};${one('', '', ' return;')}`
    return `${one('return ', '')}${promise(depth)};`
  }
  let names = 0
  const helped = (depth: number): string => {
    const kind = number(depth > 2 ? 6 : 14)
    const back = one('', 'return ')
    if (kind === 0) return `${back}fail(res, ${one(400, 404, 500)}, ${text()});`
    if (kind === 1) return `${back}shout(res, ${text()});`
    if (kind === 2) return `${back}later(res, ${value(1)});`
    // Of what is no text it makes an error, whose page has what was set before in Express alone.
    if (kind === 3) return `${back}respond(res, String(JSON.stringify(${read()})));`
    if (kind === 4) return `${back}show(req, res);`
    if (kind === 5) return `${back}${one('silent', 'given', 'raw')}(res, ${text()});`
    if (kind < 8) return `if (!allowed(req, res)) ${one('return;', '{ return }')} ${ending(depth + 1)}`
    if (kind < 10) return `if (refused(req, res)) ${one('return;', '{ return }')} ${ending(depth + 1)}`
    if (kind === 10) {
      // Two cases of a switch have one scope.
      const name = `one${names++}`
      return `const ${name} = session(req, res); if (!${name}) ${one('return;', '{ return }')} ${ending(depth + 1)}`
    }
    if (kind === 11)
      return `${one('if (allowed(req, res))', 'if (!refused(req, res))')} { ${ending(depth + 1)} }`
    if (kind === 12) return `noCache(res); ${ending(depth + 1)}`
    return `try { ${ending(depth + 1)} } catch (error) { ${back}fail(res, 500, error.message) }`
  }
  return Array.from({ length: count }, () => {
    const params = one('(req, res)', '(req, res)', '(req, res, next)')
    if (often(0.15)) return `${params} => ${answer()}`
    const before = one('', '', statement()) + (often(0.3) ? ' ' + statement() : '')
    const names = [...before.matchAll(/(?:const|let) (?:\{ )?(\w+)/g)].map(([, name]) => name)
    const body = `${before} ${ending(0)}`
    const isWhole =
      new Set(names).size === names.length && (names.includes('local') || !/\blocal\b/.test(body))
    const whole = isWhole ? body : `${ending(0).replaceAll('local', "'late'")}`
    const isAsync = whole.includes('await') || often(0.2)
    const given = /\bnext\b/.test(whole) ? '(req, res, next)' : params
    const code = `const code = ${one(200, 201, 404, 500)};`
    return `${isAsync ? 'async ' : ''}${given} => { const age = 5000; ${code} ${whole} }`
  }).map((handler) =>
    /\blocal\b/.test(handler) && !/const local/.test(handler)
      ? handler.replaceAll(/\blocal\b/g, "'late'")
      : handler,
  )
}
