// Code without the secrets that are written in it: what a report or a lock shows of a source is read by more people than the source is.
import { leftOut, secretsOf } from './redact.js'

// `keys` are those that cookie-session signs with.
const { isSecret, redactName } = secretsOf(['key', 'keys'])

const literal = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/.source
const literals = new RegExp(literal, 'gs')
const named = new RegExp(
  `([\\w$]{1,100})(['"]?\\s*:\\s*\\[?\\s*|\\(\\s*\\[?\\s*)((?:${literal})(?:,\\s*(?:${literal})(?!\\s*:))*)`,
  'gs',
)
/** `users: { ada: '…' }`, as express-basic-auth takes passwords. */
const users = /(\busers['"]?\s*:\s*\{)([^{}]*)/g
const valueOfUser = new RegExp(`(:\\s*)(?:${literal})`, 'gs')

/** A piece of code without the texts in it that are secrets by their names or by their form. What was given twice is the same twice. */
export function redactCode(code: string): string {
  return code
    .replace(users, (_all, head: string, body: string) => head + body.replace(valueOfUser, `$1${leftOut}`))
    .replace(named, (all: string, name: string, between: string) => {
      // `auth('admin')` names a role, and `cookieParser('…')` takes a secret.
      const isOne = between.startsWith('(') ? /cookieparser|basicauth|secret/i.test(name) : isSecret(name)
      return isOne ? `${name}${between}${leftOut}` : all
    })
    .replace(literals, (text) => text[0]! + redactLiteral(text.slice(1, -1)) + text.at(-1)!)
}

/** Its forms alone: `'session:read'` is a scope, where a text of traffic that has it shows a session. */
function redactLiteral(text: string): string {
  return isRandom(text) ? leftOut : redactName(text)
}

/** Long, and letters and digits change places often: traffic is full of such ids, and a source has them for keys. */
function isRandom(text: string): boolean {
  if (!/^[\w+/=~.-]{20,}$/.test(text) || /^\.{0,2}\//.test(text)) return false
  return (text.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0) * 8 >= text.length
}
