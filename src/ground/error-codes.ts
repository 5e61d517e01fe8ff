/** What an error code stands for. */
interface ErrorMeaning {
  /** The status that answers it, for a mistake in a request. An error can have another one, such as `refusedStatus`. */
  readonly status?: number
  /** When it comes, in a few words for the documentation. */
  readonly text: string
}

const meanings = {
  // Mistakes in the program.
  ERR_METHOD_INVALID: {
    text: 'a method that cannot be routed or is not served (501 where a request has it)',
  },
  ERR_PATTERN_INVALID: { text: 'a path that is no pattern, or that another feature cannot take' },
  ERR_ROUTE_CONFLICT: { text: 'two Controllers for the same method and pattern' },
  ERR_CONTROLLER_INVALID: { text: 'something other than a Controller, its callback or its middleware' },
  ERR_OPTION_INVALID: { text: 'an option or argument of an unknown name or a wrong value' },
  ERR_HEADER_INVALID: { text: 'a name or value of a header that cannot be sent' },
  ERR_COOKIE_INVALID: { text: 'a cookie that cannot be sent, or that browsers drop' },
  ERR_HOOK_INVALID: { text: 'something other than a hook, or a hook at a wrong place' },
  ERR_RESPONSE_INVALID: { text: 'an answer that cannot be sent' },
  ERR_NO_ANSWER: { text: 'a callback that has returned no answer' },
  ERR_MIDDLEWARE_RETURN: { text: 'middleware that has returned a value that means nothing' },
  ERR_MIDDLEWARE_NO_ANSWER: { text: 'middleware that has neither answered nor called `next()`' },
  ERR_NEXT_TWICE: { text: 'a second `next()`, or one after an answer' },
  ERR_NEXT_ARGUMENT: { text: '`next()` of middleware with an argument' },
  ERR_ANSWER_BEGUN: { text: 'an answer that a hook has begun, and that nothing ends' },
  ERR_SCHEMA_FAILED: { text: 'a schema that has thrown, or has returned no result' },
  ERR_OUTPUT_INVALID: { text: 'an answer that does not fit the schema of its status' },
  ERR_ROUTE_NAME: { text: 'a route name that is unknown, or that two routes have' },
  ERR_URL_INVALID: { text: 'a URL of a route that cannot be made of these params' },
  ERR_OPENAPI_SCHEMA: { text: 'a schema that cannot be written into an OpenAPI document' },
  ERR_SWAGGER_UI_MISSING: { text: 'the page of an OpenAPI document without the package `swagger-ui-dist`' },
  ERR_INSTANCE_EXISTS: { text: 'a second `getInstance()` with other Controllers or options' },
  ERR_MIGRATION_EXISTS: { text: 'a second `migration()` over the same application' },
  ERR_PROM_CLIENT_MISSING: { text: 'metrics without the package `prom-client`' },
  ERR_SERVER_STATE: { text: 'a call that a server cannot take in its state' },
  ERR_PORT_UNAVAILABLE: { text: 'a port that cannot be listened on' },
  ERR_WORKERS_FAILED: { text: 'workers that do not start' },
  ERR_RUNTIME_UNSUPPORTED: { text: 'something that this runtime does not have' },
  ERR_EXPRESS_MISSING: { text: 'a profile or handler of Express without the package `express`' },
  ERR_EXPRESS_VERSION: { text: 'a version of Express that this package does not know' },
  ERR_APP_WRAPPED: { text: 'an Express app that other code has wrapped so that it cannot be read' },
  ERR_APP_CHANGED: { text: 'an app that has changed since it was taken over' },
  ERR_CONTROLLER_ORDER: { text: 'Controllers or middleware in an order in which they would not run' },
  ERR_PACKAGE_MOVED: { text: 'the import of something that is in another package now' },
  ERR_INTROSPECTION_VERSION: { text: 'a tool of another version than the router that it reads' },
  // Mistakes in a request.
  ERR_NOT_FOUND: { status: 404, text: 'a path and method that nothing answers' },
  ERR_METHOD_NOT_ALLOWED: { status: 405, text: 'a path that has other methods alone' },
  ERR_ANSWER_TIMEOUT: { status: 503, text: 'no answer within `answerTimeoutMs`' },
  ERR_TARGET_INVALID: { status: 400, text: 'a malformed request target' },
  ERR_TARGET_TOO_LONG: { status: 414, text: 'a request target over `maxTargetBytes`' },
  ERR_HOST_INVALID: { status: 400, text: 'a Host field that is malformed, missing or double' },
  ERR_PARAM_MALFORMED: { status: 400, text: 'a param that cannot be percent-decoded' },
  ERR_INPUT_REFUSED: { status: 422, text: 'input that a schema refuses' },
  ERR_BODY_TOO_LARGE: { status: 413, text: 'a body over a limit' },
  ERR_BODY_MALFORMED: { status: 400, text: 'a body that is not what its Content-Type says' },
  ERR_BODY_TYPE: { status: 415, text: 'a type, charset or coding of a body that is not read here' },
  ERR_BODY_CONSUMED: { status: 500, text: 'a body that other code has read, and has not kept' },
  ERR_BODY_ABORTED: { status: 400, text: 'a client that disconnects before the end of its body' },
  ERR_HEADERS_TOO_LARGE: { status: 431, text: 'more header fields than `maxHeaderFields`' },
  ERR_HTTP_VERSION: { status: 505, text: 'a version of HTTP that is not spoken here' },
} as const

/** Every code that an error of this package can carry. The text of a message may change, a code does not. */
export type ErrorCode = keyof typeof meanings

/** All codes: this table alone says which there are, and with which status each answers a request. */
export const errorCodes: Readonly<Record<ErrorCode, ErrorMeaning>> = meanings
