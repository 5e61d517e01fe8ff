// What is never stored or shown: values behind the names of secrets, and values that have the form of one.
import { unescape } from 'node:querystring'
import { type Mask, maskOf } from './mask.js'
import { runAtOnce, type Steps } from './slices.js'

// One list for fields of JSON, of forms and of queries, for headers, elements, attributes, and names in a text.
const secretPart =
  /password|passwd|passphrase|passcode|secret|token|authorization|authentication|cookie|session|sessid|credential|(?:api|access|private)[-_]?key|csrf|xsrf|otp|signature/iu
/** A name is secret, too, where one of its words is one of these: `userPin`, `card_cvc`. */
const words = 'auth bearer cvc cvv hmac iban jwt pass pin pwd sid sig ssn'.split(' ')
const secretWords = new Set(words)
/** Most names have none of them, and need not be taken apart. */
const mayHaveWord = new RegExp(words.join('|'), 'i')

/** Stands for a value that is left out. */
export const leftOut = '[redacted]'

/** Below that, all of a JSON value is left out. */
const deepest = 50
/** How often a text within a text is read: JSON in a string of JSON, a URL in a query. */
const mostNested = 4
/** Of a longer name the end is taken apart. */
const longestName = 200

/** What is secret: what has a usual name of secrets or one that was given, and what has the form of one. */
export interface Secrets {
  readonly isSecret: (name: string) => boolean
  /** Any text without secrets: prose, HTML, XML, GraphQL, malformed JSON. */
  readonly redactText: (text: string) => string
  /** The same in steps. */
  readonly redactTextSteps: (text: string) => Steps<string>
  /** A string that may be a URL, JSON or any text. */
  readonly redactString: (text: string) => string
  /** Path, query and fragment. */
  readonly redactTarget: (target: string) => string
  /** `a=1&b=2` */
  readonly redactForm: (form: string) => string
  /** A short text, as a key of JSON: by the forms in it alone, because `session:read` holds no session there. */
  readonly redactName: (name: string) => string
  /** A value of JSON. */
  readonly redactJson: (value: unknown) => unknown
}

/** Adds `names`, in any case. */
export function secretsOf(names: readonly string[]): Secrets {
  const own = new Set(names.map((name) => name.toLowerCase()))

  // `user[iban]`, `iban[]`, `user.iban`, `user%5Biban%5D` and `userIban` name an `iban`.
  const isSecret = (name: string): boolean => {
    if (secretPart.test(name)) return true
    const mayBeWord = mayHaveWord.test(name)
    if (own.size === 0 && !mayBeWord) return false
    if (own.has(name.toLowerCase())) return true
    const end = name.slice(-longestName)
    const parts = (end.includes('%') ? unescape(end) : end).split(/[^\w-]+/)
    return parts.some(
      (part) =>
        own.has(part.toLowerCase()) || (mayBeWord && wordsOf(part).some((word) => secretWords.has(word))),
    )
  }

  /** `<textarea id="token">…`, `<entry key="password">…` */
  const namesContent = (name: string, attributes: string): boolean =>
    !hasNoContent.test(name + attributes) &&
    [...attributes.matchAll(attributeOfName)].some(
      ([all, own = '']) => isSecret(own) && (isTextarea.test(name) || /^(?:name|key)/i.test(all)),
    )

  const ofElement: Replace = ([, name = ''], text, from) => {
    const isOwn = isSecret(name)
    if (!isOwn && text[from] === '>') return undefined
    restOfTag.lastIndex = from
    const [all, attributes = ''] = restOfTag.exec(text) ?? []
    if (all === undefined) return undefined
    const safe = redactAttributes(attributes, isSecret)
    const end = from + all.length
    // Of a secret element alone: one that is not closed is looked through to the end of the text.
    const form = isTextarea.test(name) ? contentOfTextarea : contentOfTag
    form.lastIndex = end
    const [content = ''] = (isOwn || namesContent(name, attributes) ? form.exec(text) : undefined) ?? []
    if (content.trim() !== '') return { to: end + content.length, shown: `${safe}>${leftOut}` }
    return safe === attributes ? undefined : { to: end, shown: `${safe}>` }
  }

  const ofName: Replace = ([all, name = '', separator = ''], text, from) => {
    if (!isSecret(name) || isAddress(text, all, from)) return undefined
    const isMember = /^\\*["'].*:\s*$/s.test(separator)
    if (isMember && /["'[{]/.test(text[from] ?? '')) return { to: endOfMember(text, from), shown: leftOut }
    const isLine = separator.includes(':') && /cookie|authorization|authentication/i.test(name)
    const form = isLine ? valueOfLine : isMember && text[from] !== '\\' ? valueOfMember : valueOfName
    form.lastIndex = from
    const [value = ''] = form.exec(text) ?? []
    return value === '' ? undefined : { to: from + value.length, shown: leftOut }
  }

  function* redactTextSteps(text: string): Steps<string> {
    if (!mayHold.test(text)) return text
    const safe = yield* redactValueSteps(text)
    yield
    const plain = safe.includes('<') ? yield* replaced(safe, tag, ofElement) : safe
    yield
    return yield* replaced(plain, named, ofName)
  }
  const redactText = (text: string): string => (mayHold.test(text) ? runAtOnce(redactTextSteps(text)) : text)

  /** A value of a query stays as it was written where it has no secret. */
  const redactValueOfPair = (value: string, nested: number): string => {
    const plain = plainOf(value)
    const shown = redactString(plain, nested + 1)
    return shown === plain
      ? redactText(value)
      : encodeURIComponent(shown).replaceAll('%5Bredacted%5D', leftOut)
  }
  const redactForm = (form: string, nested = 0): string =>
    form
      .split('&')
      .map((pair) => {
        const at = pair.indexOf('=')
        const name = pair.slice(0, Math.max(at, 0))
        if (isSecret(plainOf(name))) return `${name}=${leftOut}`
        return at < 0
          ? redactValueOfPair(pair, nested)
          : `${name}=${redactValueOfPair(pair.slice(at + 1), nested)}`
      })
      .join('&')

  const redactTarget = (target: string, nested = 0): string => {
    const [, path = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(target) ?? []
    const shown = redactValues(path).replace(
      paramOfPath,
      (all, sign: string, name: string, equals: string) =>
        isSecret(name) ? `${sign}${name}${equals}${leftOut}` : all,
    )
    return [
      shown,
      ...(query === undefined ? [] : ['?', redactForm(query, nested)]),
      ...(fragment === undefined ? [] : ['#', redactForm(fragment, nested)]),
    ].join('')
  }

  const redactName = (name: string, nested = 0): string => {
    if (!mayHold.test(name)) return name
    return isTarget.test(name) && nested < mostNested ? redactTarget(name, nested) : redactValues(name)
  }

  const redactString = (text: string, nested = 0): string => {
    if (nested >= mostNested) return redactText(text)
    if (/^\s*[[{"]/.test(text)) {
      const json = parsed(text)
      if (json !== undefined) {
        const shown = redactValue(json.value, 0, nested + 1)
        return isSameJson(shown, json.value) ? text : JSON.stringify(shown)
      }
    }
    return redactText(isTarget.test(text) ? redactTarget(text, nested) : text)
  }

  const redactValue = (value: unknown, level: number, nested: number): unknown => {
    if (level > deepest) return leftOut
    if (typeof value === 'string') return mayHold.test(value) ? redactString(value, nested) : value
    if (typeof value === 'number') return isCard(String(value)) ? leftOut : value
    if (Array.isArray(value)) return value.map((one) => redactValue(one, level + 1, nested))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value)
    // `{ name: 'password', value: '…' }`
    const isNamed = entries.some(([key, one]) => naming.test(key) && typeof one === 'string' && isSecret(one))
    return Object.fromEntries(
      entries.map(([key, one]) => {
        const isLeftOut = isSecret(key) || (isNamed && /^(?:value|content)$/i.test(key))
        return [redactName(key, nested), isLeftOut ? leftOut : redactValue(one, level + 1, nested)]
      }),
    )
  }

  return {
    isSecret,
    redactText,
    redactTextSteps,
    redactString: (text) => redactString(text),
    redactTarget: (target) => redactTarget(target),
    redactForm: (form) => redactForm(form),
    redactName: (name) => redactName(name),
    redactJson: (value) => redactValue(value, 0, 0),
  }
}

const isTarget = /^[^\s?]*\?\S*$/

/** `userPin` is `user` and `pin`. */
function wordsOf(name: string): string[] {
  return name.split(/[_-]+|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase())
}

function plainOf(text: string): string {
  return unescape(text.replaceAll('+', ' '))
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

function isSameJson(one: unknown, other: unknown): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other)
  } catch {
    // Too deep for the stack: then something was left out.
    return false
  }
}

// A client writes these texts, so each form below reads them in linear time: it begins where none can have begun before (the lookbehind),
// and what may be repeated ends where the next one begins.

/** A text without any of it has no secret: most strings of JSON are such. */
const mayHold = /[:=<%@]|\d{4}|eyJ|-----|[_-]\w{8}|AKIA|AIza|(?:bearer|basic)\s|\[\s*[[{"]|\{/i

/** Percent-encoded, maybe more than once. */
const percent = '%(?:25){0,3}'
const nameSign = `(?:[\\w.[\\]-]|${percent}(?:5[bd]|2e)|%(?![\\da-f]{2}))`
const named = new RegExp(
  [
    `(?:(?<![\\w.[\\]%-])|(?<=${percent}(?!(?:25){0,3}(?:5[bd]|2e))[\\da-f]{2}))`,
    `(${nameSign}+)`,
    `(\\\\*["']?\\s*(?:[:=]|${percent}3[ad])\\s*|["'\\s]+(?:content|value)=|["']\\s*,\\s*["'](?:content|value)["']\\s*:\\s*)`,
  ].join(''),
  'gi',
)
const valueOfName =
  /(?:(?:basic|bearer|digest|token)[ \t]+)?(?:\[redacted\]|"""[^]*?(?:"""|$)|\\+(["'])[^]*?(?:(?<!\\)\\+\1(?=\s*(?:[,}\])]|$))|$)|"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|["']?[^"'&<>\s;]+)/iy
// The next cookie follows a semicolon, and a scheme has params of its own.
const valueOfLine = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|[^\r\n<]+/y

// In malformed JSON, of which a string, a list and an object may not be closed.
const valueOfMember = /[^,}\]\r\n]+/y
const partOfMember =
  /"""[^]*?(?:"""|$)|"(?:[^"\\]|\\[^])*(?:"|\\?$)|'(?:[^'\\]|\\[^])*(?:'|\\?$)|[[{\]}]|[^"'[{\]}]+/y

/** Where a string, a list or an object ends that begins there. */
function endOfMember(text: string, from: number): number {
  partOfMember.lastIndex = from
  let end = from
  for (let depth = 0; ;) {
    const [part] = partOfMember.exec(text) ?? []
    if (part === undefined) return end
    end += part.length
    if (/^[[{]/.test(part)) depth++
    else if (/^[\]}]/.test(part)) depth--
    if (depth <= 0) return end
  }
}

/** A host with its port, as in `//session.example.com:80`, is no name with its value. */
function isAddress(text: string, all: string, from: number): boolean {
  return (
    all.endsWith(':') &&
    text.startsWith('//', from - all.length - 2) &&
    /^\d{1,5}(?!\w)/.test(text.slice(from, from + 6))
  )
}

/** What replaces what follows a match, or the match itself; undefined leaves it as it is. */
type Replace = (
  found: RegExpExecArray,
  text: string,
  to: number,
) => { readonly from?: number; readonly to: number; readonly shown: string } | undefined

/** How many matches are looked at in one step. */
const matchesOfStep = 100

function* replaced(text: string, form: RegExp, replace: Replace): Steps<string> {
  const parts: string[] = []
  let kept = 0
  let next = 0
  for (let count = 1; ; count++) {
    // Others use the same expression between two steps.
    form.lastIndex = next
    const found = form.exec(text)
    if (found === null) break
    next = form.lastIndex
    const change = replace(found, text, next)
    if (change !== undefined) {
      parts.push(text.slice(kept, change.from ?? next), change.shown)
      kept = next = change.to
    }
    if (count % matchesOfStep === 0) yield
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(kept)
}

const tag = /<([a-z][\w:.-]*)/gi
const restOfTag = /([^<>]{0,4000})>/y
const contentOfTag = /(?:[^<]+|<!--[^]*?(?:-->|$)|<!\[CDATA\[[^]*?(?:\]\]>|$))*/y
// In a text area, `<` is a letter like others.
const contentOfTextarea = /[^]*?(?=<\/textarea|$)/iy
const isTextarea = /^textarea$/i
const hasNoContent = /^(?:input|meta|param|link|img|br|hr)(?:\s|$)|\/$/i
const attributeOfName =
  /(?<![\w-])(?:name|id|key|type|property|itemprop|autocomplete)\s*=\s*["']?([^"'\s>]+)/gi
const attributeOfValue = /(?<![\w-])(value|content)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/gi

/** `<input name="csrf" value="…">`, in either order. */
function redactAttributes(attributes: string, isSecret: (name: string) => boolean): string {
  if (attributes.search(attributeOfValue) < 0) return attributes
  const names = [...attributes.matchAll(attributeOfName)].map(([, name = '']) => name)
  return names.some(isSecret) ? attributes.replace(attributeOfValue, `$1=${leftOut}`) : attributes
}

/** `/cart;jsessionid=…`, `/unsubscribe/token=…`, also percent-encoded. */
const endOfParam = `${percent}(?:3b|2f)`
const paramOfPath = new RegExp(
  `([;/]|${endOfParam})([\\w.-]+)(=|${percent}3d)(?:(?!${endOfParam})[^;/])*`,
  'gi',
)
const naming = /^(?:name|key|field|id|label|property)$/i

/** What has the form of a secret, whatever it is called. */
function* redactValueSteps(text: string): Steps<string> {
  let shown = text
  for (const { sign, form, as } of valueForms) {
    if (!sign.test(shown)) continue
    shown = yield* replaced(shown, form, (found, _text, to) => {
      const safe = as(found)
      return safe === found[0] ? undefined : { from: found.index, to, shown: safe }
    })
    yield
  }
  return shown
}

function redactValues(text: string): string {
  return runAtOnce(redactValueSteps(text))
}

interface ValueForm {
  /** What a text has to hold to be looked through. */
  readonly sign: RegExp
  readonly form: RegExp
  readonly as: (found: RegExpExecArray) => string
}

const valueForms: readonly ValueForm[] = [
  {
    sign: /PRIVATE KEY-----/,
    form: /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z\d ]{0,40}PRIVATE KEY-----|$)/g,
    as: () => leftOut,
  },
  {
    // A JSON Web Token begins with `{"` in Base64.
    sign: /eyJ/,
    form: /(?<![\w-])eyJ[\w-]{10,}\.[\w-]+\.[\w-]*(?:\.[\w-]*){0,2}/g,
    as: () => leftOut,
  },
  {
    sign: /bearer|basic/i,
    form: /(?<![\w-])(bearer|basic)([ \t]+)([\w+/.~-]{8,}=*)/gi,
    as: ([all, scheme = '', space, value = '']) =>
      isCredential(scheme, value) ? `${scheme}${space}${leftOut}` : all,
  },
  {
    // Keys of GitHub, GitLab, Slack, Stripe, Amazon, Google, npm and the like say what they are.
    sign: /[_-]\w{8}|AKIA|AIza/,
    form: /(?<![\w-])(?:[spr]k_(?:live|test)_\w{8,}|whsec_\w{8,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}|xox[a-z]-[\w-]{10,}|sk-[\w-]{20,}|npm_\w{30,}|AKIA[A-Z\d]{16}|AIza[\w-]{30,})/g,
    as: () => leftOut,
  },
  {
    sign: /\d{4}/,
    form: /(?<![\w.])\d{4,19}(?:[ -]\d{3,19}){0,11}(?!\w)/g,
    as: ([all]) => redactCards(all),
  },
  { sign: /@/, form: /\/\/[^\s/?#"'<>\\@][^\s/?#"'<>\\]*@/g, as: () => `//${leftOut}@` },
  {
    sign: /%(?:25){0,3}40/,
    form: new RegExp(`((?:${percent}2f){2})(?:(?!${percent}2f)[^\\s/?#"'<>&\\\\])+${percent}40`, 'gi'),
    as: ([, slashes]) => `${slashes}${leftOut}@`,
  },
]

/** Words that follow `Basic` or `Bearer` in a sentence are none. */
function isCredential(scheme: string, value: string): boolean {
  if (/bearer/i.test(scheme)) return value.length >= 20 || /\d/.test(value)
  return Buffer.from(value, 'base64').includes(':')
}

/** Groups of digits, as cards have them; what stands beside a card, as its date, may be groups, too. */
function redactCards(all: string): string {
  const groups = all.split(/[ -]/)
  for (let from = 0; from < groups.length; from++) {
    let digits = ''
    for (let to = from; to < groups.length && digits.length < 19; to++) {
      digits += groups[to]!
      if (digits.length >= 13 && isCard(digits)) return redactGroups(all, groups, from, to)
    }
  }
  return all
}

function redactGroups(all: string, groups: readonly string[], from: number, to: number): string {
  const lengthOf = (some: readonly string[]): number => some.reduce((sum, one) => sum + one.length + 1, 0)
  const start = lengthOf(groups.slice(0, from))
  const end = start + lengthOf(groups.slice(from, to + 1)) - 1
  return all.slice(0, start) + leftOut + all.slice(end, end + 1) + redactCards(all.slice(end + 1))
}

// The lengths of Visa, Mastercard, American Express, Diners, Discover, JCB, UnionPay and Maestro, by their first digits.
const cardForm =
  /^(?:4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0|6|8)\d{12}|35\d{14}|(?:5[0678]|6\d)\d{11,17})$/

/** True for digits of a payment card, whose last one checks the others (Luhn). */
function isCard(digits: string): boolean {
  if (!cardForm.test(digits)) return false
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    sum += at % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit
  }
  return sum % 10 === 0
}

/** Makes what takes the cookies and the authorization of a request out of a text: an answer may show them again. */
export function maskOfRequest({
  headers,
}: {
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined }
}): Mask {
  const { authorization, cookie } = headers
  const secrets = Object.entries({ authorization, cookie }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return maskOf(secrets, leftOut)
}
