// What members of Express's request and response are in a native callback, for those that are not written alike.

/** By the name of the member: what to write, and where it is not the same. */
const ofResponse: Readonly<Record<string, string>> = {
  status: 'res.status(code), and return the answer: res.status(404).json(error)',
  json: 'return res.json(value); a value that is undefined is an error',
  send: 'return res.json(object), res.html(text) for a text that is HTML, res.send(bytes), or sendValue(res, value) of routecontrollers/express',
  sendStatus: "return res.status(404).text('Not Found'): the text that belongs to the number",
  set: 'res.header(name, value)',
  header: 'res.header(name, value)',
  setHeader: 'res.header(name, value)',
  append: 'res.header(name, [value, value])',
  type: "res.header('Content-Type', 'text/csv; charset=utf-8'): the whole type",
  contentType: "res.header('Content-Type', 'text/csv; charset=utf-8'): the whole type",
  vary: "res.header('Vary', name)",
  attachment:
    "res.header('Content-Disposition', contentDisposition(name)) of the package content-disposition, which quotes and encodes the name, and res.header('Content-Type', type), which attachment takes from its extension",
  cookie: 'res.cookie(name, value, options): maxAgeSeconds, and expires for the Expires that Express adds',
  clearCookie: "res.cookie(name, '', { expires: new Date(0) })",
  redirect: 'return res.redirect(url, status): in a route of Express with its page',
  render: 'leave it to Express (native(fromExpress(handler))), or return res.html(text) of your own template',
  sendFile:
    'return sendFile(path, options) of routecontrollers/express. It takes no callback: a missing file goes to what comes next, an error to the error handlers. Look for the file first where you answer that yourself',
  download:
    'return download(path, name, options) of routecontrollers/express: without a callback, as sendFile; what follows a download is for a middleware before it, on its close',
  end: 'return res.status(204).end(); with a text res.send, which adds a type',
  write: 'return res.stream(source) of an async iterable, or res.sse(source) of events',
  writeHead: 'res.status(code).header(name, value)',
  flushHeaders: 'return res.stream(source), which sends the headers at once',
  on: 'req.signal, which aborts when the client has gone',
  jsonp: 'leave it to Express',
  format:
    "leave it to Express (native(fromExpress(handler))). Or choose by the package negotiator, answer 406 where no type fits, and set res.header('Vary', 'Accept') on each answer",
  locals: 'req.res.locals, which TypeScript does not know: have the middleware leave it on req, too',
  app: 'req.app',
  headersSent: 'nothing: an answer is sent when the callback has returned it',
}

const byExpress =
  'the same in a route of Express, but TypeScript does not know it; elsewhere read req.get(name)'

const ofRequest: Readonly<Record<string, string>> = {
  body: "req.body, of unknown type: as Type, or checked by { input: { body: schema } }; { body: 'stream' } leaves it to the parser of the app",
  accepts: byExpress,
  is: byExpress,
  param: 'req.params.name, req.query.name or req.body.name',
  header: 'req.get(name)',
  ip: 'req.ip is there behind Express, and req.realIp with trustProxy',
  on: "for await (const bytes of req); in place of 'close' and 'aborted', req.signal, which aborts when the client has gone",
  pipe: 'for await (const bytes of req)',
}

/** The entries for members that a handler uses, as `status(404)` or `locals.user`. */
export function nativelyFor(
  reads: readonly string[],
  leaves: readonly string[],
): { readonly member: string; readonly write: string }[] {
  const found = (owner: string, table: Readonly<Record<string, string>>, used: readonly string[]) =>
    [...new Set(used.map((one) => /^\w+/.exec(one)?.[0] ?? ''))].flatMap((name) =>
      Object.hasOwn(table, name) ? [{ member: `${owner}.${name}`, write: table[name]! }] : [],
    )
  return [...found('req', ofRequest, reads), ...found('res', ofResponse, leaves)]
}
