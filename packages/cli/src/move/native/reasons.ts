// Why a handler gets no native callback by the machine: the whole list, each with what helps.

interface NativeReason {
  /** A sentence; `%` stands for the name that it is about. */
  readonly reason: string
  readonly remedy: string
}

export const nativeReasons = {
  // What it is.
  elsewhere: {
    reason: 'no file of the project says which function it is',
    remedy: 'write it into the route, or export it by a name that nothing assigns again',
  },
  made: {
    reason: 'it is made by a call of %, which does more than to give errors to next',
    remedy: 'write what it makes into the route, as a function',
  },
  method: {
    reason: 'no file of the project says of which class % is',
    remedy: 'name the object in the file of the route: new Class(), of a class that another file exports',
  },
  replaced: {
    reason: 'another function than this one is registered',
    remedy: 'make a middleware of what is put around it, and name that in the route',
  },
  marked: {
    reason: 'it has members of its own, as %, which other code may look for',
    remedy: 'see who reads them, and write its callback by hand: that has none of them',
  },
  taken: {
    reason: '% stands beside its handler already',
    remedy: 'name that in the route, before the handler, or give it another name',
  },
  generator: { reason: 'it is a generator', remedy: 'make it a function' },
  'type-parameters': { reason: 'it has type parameters', remedy: 'take them away' },
  'error-handler': { reason: 'it is an error handler', remedy: 'leave it to Express' },
  'no-response': {
    reason: 'it has no response to answer with',
    remedy: 'give it the parameters (req, res), and let it answer',
  },
  'taken-apart': {
    reason: 'its response is taken apart',
    remedy: 'name it res, and call its methods on it',
  },
  this: {
    reason: 'it uses this',
    remedy:
      'bind it where its class registers it, this.show.bind(this), or write an arrow function where this is known',
  },
  arguments: { reason: 'it uses arguments', remedy: 'name its parameters' },
  eval: { reason: 'it calls eval', remedy: 'write what it runs as code' },
  shadowed: { reason: '% is declared again', remedy: 'give the inner one another name' },
  'hidden-name': {
    reason: '% means something else where the route is registered',
    remedy: 'give one of both another name',
  },
  // Where it goes.
  'no-answer': {
    reason: 'there is a path on which it does not answer',
    remedy: 'answer on each path, or throw',
  },
  'after-answer': {
    reason: 'it goes on after it has answered',
    remedy: 'do what follows before the answer, and return the answer',
  },
  'before-finally': {
    reason: 'it answers before a finally that waits, answers or leaves',
    remedy: 'return the answer behind the finally',
  },
  'other-value': {
    reason: 'it returns something else than its answer',
    remedy: 'return the answer',
  },
  callback: {
    reason: 'it answers from a callback',
    remedy: 'make a promise of what calls back, and await it',
  },
  expression: {
    reason: 'it answers within an expression',
    remedy: 'make it an if, and return the answer',
  },
  label: { reason: 'it answers below a label', remedy: 'return the answer, without the label' },
  next: {
    reason: 'it may call next()',
    remedy: 'leave it to Express, or make what it passes on a middleware of its own',
  },
  'next-value': {
    reason: 'it gives next what may be no error',
    remedy: 'throw an error',
  },
  'next-in-try': {
    reason: 'it gives next an error within a try whose catch does something else',
    remedy: 'throw it behind the try',
  },
  // What it does with its response.
  'res-passed': {
    reason: 'it passes res on to %',
    remedy: 'let the function return what is to be sent, and answer with it here',
  },
  'res-method': {
    reason: 'it passes res on to %, which a subclass or other code may replace',
    remedy: 'make it private in TypeScript, or a function of the file',
  },
  'res-replaced': {
    reason: 'it passes res on to %, and another function runs in its place',
    remedy: 'call the function that runs by its own name, or make a middleware of what is put around it',
  },
  gate: {
    reason: 'it does not return right behind %, which may have answered',
    remedy: 'ask at once what that returns, and return where it has answered',
  },
  'res-named': { reason: 'it gives res another name', remedy: 'call the methods of res itself' },
  'res-member': {
    reason: 'res.% means something else natively, or is not there',
    remedy: 'write by hand what brief lists for that member',
  },
  redirect: {
    reason: 'where it leads to may be no text, or the status of its redirect is no known one',
    remedy: 'make a text of it, as by String(url); the status of a redirect is 301, 302, 303, 307 or 308',
  },
  end: {
    reason: 'res.end with a text has no ETag and no type in Express',
    remedy: 'call res.send, and see that clients take its headers',
  },
  empty: {
    reason: 'res.send of nothing may be 304 in Express',
    remedy: 'answer with res.status(204).end(), or with a body',
  },
  status: {
    reason: 'its status % is no status of an answer',
    remedy: 'take one from 200 to 599',
  },
  'status-headers': {
    reason: 'its status % is sent with other headers natively',
    remedy: 'leave it to Express, or compare the headers by hand',
  },
  'status-text': {
    reason: 'the text of res.sendStatus is not known for what stands there',
    remedy: 'write res.status(code).send(text)',
  },
  'error-first': {
    reason: 'it sets the status of an error long before it answers',
    remedy: 'set it where it answers',
  },
  'set-first': {
    reason:
      'it sets a header or a cookie, and may give an error on then, whose answer has it in Express alone',
    remedy: 'set it where it answers',
  },
  'error-throws': {
    reason: 'what it answers may throw when its status of an error is set already',
    remedy: 'compute it before it sets the status',
  },
  'no-value': { reason: 'res.% of nothing, or of several values', remedy: 'give it one value' },
  'send-value': {
    reason: 'res.send of what may be a string or anything else',
    remedy: 'write res.json(value) for an object, String(value) for a text',
  },
  'json-undefined': {
    reason: 'res.json of what may be undefined, which a native answer refuses',
    remedy: 'ask for it before, or answer null in its place',
  },
  header: {
    reason: 'the header % is not the same natively',
    remedy: 'set it by hand, and compare the answers',
  },
  'header-value': {
    reason: 'the value of the header % may be no text',
    remedy: 'write String(value), or ask for it before',
  },
  'header-name': {
    reason: 'which header it sets does not stand there',
    remedy: 'write the name of the header',
  },
  type: {
    reason: 'the type of its answer is not the same natively',
    remedy: "write the whole type: res.type('text/plain')",
  },
  'cookie-name': {
    reason: 'the name of its cookie does not stand there',
    remedy: 'write the name of the cookie',
  },
  'cookie-value': {
    reason: 'the value of its cookie is no text',
    remedy: 'write String(value) or JSON.stringify(value), and read it so',
  },
  'cookie-options': {
    reason: 'the options of its cookie do not stand there',
    remedy: 'write them where the cookie is set',
  },
  'cookie-option': {
    reason: 'the option % of its cookie may be another natively',
    remedy: 'set it by hand: maxAge is maxAgeSeconds, and SameSite=None needs secure',
  },
  // What it reads of its request.
  'req-member': {
    reason: 'req.% is not the same natively',
    remedy: 'leave it to Express, or read something else',
  },
  'req-written': { reason: 'it writes to req.%', remedy: 'keep the value in a variable' },
  'req-types': {
    reason: 'the types of a native request have no %',
    remedy: 'give its request a type, (req: Request, res), or read what they have',
  },
  'req-own-type': {
    reason: 'its request has a type of its own, %',
    remedy: 'declare its members in Express.Request, or have a guard add them',
  },
  'body-type': {
    reason: 'the type of req.body is unknown natively',
    remedy: 'give its request a type, (req: Request<{}, {}, Type>, res), or write req.body as Type',
  },
  'req-passed': {
    reason: 'it passes req on, which has another type natively',
    remedy: 'give its request a type, (req: Request, res), or pass on what the function reads of it',
  },
} as const satisfies Record<string, NativeReason>

export type NativeReasonId = keyof typeof nativeReasons

/** Why a handler is left; thrown where that is found. */
export class Left extends Error {
  readonly id: NativeReasonId
  readonly remedy: string
  readonly offset: number

  /** `name` is what the sentence is about. */
  constructor(id: NativeReasonId, { start }: { readonly start: number }, name = '') {
    const { reason, remedy } = nativeReasons[id]
    super(reason.replace('%', () => name))
    this.id = id
    this.remedy = remedy
    this.offset = start
  }
}
