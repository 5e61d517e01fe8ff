/** Params of a media type by their names in lower case. */
type Params = Record<string, string>

const token = /^[!#$%&'*+.^_`|~\w-]+$/
const mediaType = /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/
// What need not be read: a type that is in UTF-8, with no other param.
const usual = /^[a-z]+\/[a-z.+-]+; charset=utf-8$/

/** Makes the charset of a Content-Type UTF-8, as Express 5 does: it reads leniently and keeps the order of the params. */
export function inUtf8Of5(contentType: string): string {
  if (usual.test(contentType) || contentType === '') return contentType
  const [type = '', rest] = splitType(contentType)
  const params = readLeniently(rest)
  params['charset'] = 'utf-8'
  const named = trimmed(type).toLowerCase()
  if (!mediaType.test(named)) throw new TypeError(`Invalid type: ${named}`)
  const wrong = Object.keys(params).find((name) => !token.test(name))
  if (wrong !== undefined) throw new TypeError(`Invalid parameter name: ${wrong}`)
  return format(named, Object.entries(params))
}

/** Makes the charset of a Content-Type UTF-8, as Express 4 does: it reads strictly and sorts the params. */
export function inUtf8Of4(contentType: string): string {
  if (usual.test(contentType)) return contentType
  const [type = '', rest] = splitType(contentType)
  const named = type.trim().toLowerCase()
  if (!mediaType.test(named)) throw new TypeError('invalid media type')
  const params = readStrictly(rest)
  params['charset'] = 'utf-8'
  return format(named, Object.entries(params).sort(byName))
}

function splitType(contentType: string): [string, string] {
  const end = contentType.indexOf(';')
  return end < 0 ? [contentType, ''] : [contentType.slice(0, end), contentType.slice(end)]
}

const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1)

function format(type: string, params: readonly [string, string][]): string {
  return params.reduce((text, [name, value]) => `${text}; ${name}=${quoted(value)}`, type)
}

function quoted(value: string): string {
  return token.test(value) ? value : `"${value.replace(/[\\"]/g, '\\$&')}"`
}

// Behind a name: a text in quotes, with whatever follows it; one that does not end; or a value.
const lenientParam = /;([^;=]*)(?:=[\t ]*(?:"((?:[^"\\]|\\[^])*)"[^;]*|("[^]*)|([^;]*)))?/g

/** Params that are none are left out; of several with one name the first counts. */
function readLeniently(text: string): Params {
  const params = Object.create(null) as Params
  for (const [, name = '', inQuotes, open, value] of text.matchAll(lenientParam)) {
    const read = inQuotes?.replace(/\\([^])/g, '$1') ?? (open === undefined ? value : undefined)
    if (read !== undefined)
      params[trimmed(name).toLowerCase()] ??= inQuotes === undefined ? trimmed(read) : read
  }
  return params
}

const strictParam =
  /; *([!#$%&'*+.^_`|~\w-]+) *= *(?:"((?:[ !\x23-\x5b\x5d-\x7e\x80-\xff]|\\[ -\xff])*)"|([!#$%&'*+.^_`|~\w-]+)) */y

/** Throws for what is no list of params; of several with one name the last counts. */
function readStrictly(text: string): Params {
  const params = Object.create(null) as Params
  let at = 0
  while (at < text.length) {
    strictParam.lastIndex = at
    const match = strictParam.exec(text)
    if (match === null) throw new TypeError('invalid parameter format')
    const [whole, name = '', inQuotes, value = ''] = match
    params[name.toLowerCase()] = inQuotes?.replace(/\\(.)/g, '$1') ?? value
    at += whole.length
  }
  return params
}

function trimmed(text: string): string {
  return text.replace(/^[\t ]+|[\t ]+$/g, '')
}
