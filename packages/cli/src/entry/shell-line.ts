// The commands of a line for a POSIX shell, as far as it says them plainly.

export interface ShellWord {
  /** Without its quotes. */
  readonly text: string
  /** As it is written. */
  readonly raw: string
  /** False where a shell puts something else in its place: a variable, the output of a command, names of files. */
  readonly isPlain: boolean
}

export interface ShellCommand {
  readonly words: readonly ShellWord[]
  /** What stands between it and the one before: `&&`, `||`, `;`, `|` or `&`; nothing for the first. */
  readonly joint: string
  readonly readsInput: boolean
  /** The parentheses around it: what changes the shell within them changes nothing behind. */
  readonly groups: readonly number[]
  readonly begin: number
  readonly end: number
}

export interface ShellLine {
  readonly commands: readonly ShellCommand[]
  /** False where it has more than commands one after the other: an `if`, a function, a quote without its end. */
  readonly isPlain: boolean
}

const redirection = /(?:\d+|&)?(?:<<?<?|>>?)[|&]?/y
const joints = /&&|\|\||;;?|\|&?|&|\n/y
const blank = /(?:[^\S\n]|\\\n)+/y
const comment = /#.*/y
const reserved = /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|function|select|time|!|\{|\})$/
// In this order. What a shell puts in its place may itself have quotes and blanks.
const parts: readonly (readonly [RegExp, 'quoted' | 'double' | 'escaped' | 'unknown' | 'bare'])[] = [
  [/'[^']*'/y, 'quoted'],
  [/"(?:[^"\\]|\\.)*"/sy, 'double'],
  // On Windows it separates folders.
  [process.platform === 'win32' ? /(?!)/y : /\\./sy, 'escaped'],
  [/\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|\$[\w@*#?$!-]|\$(?=["'])|`[^`]*`/y, 'unknown'],
  [/[^\s;&|<>()'"`]/y, 'bare'],
]

export function shellLine(text: string): ShellLine {
  const commands: ShellCommand[] = []
  const groups: number[] = []
  let isPlain = true
  let at = 0
  let joint = ''
  let words: ShellWord[] = []
  let readsInput = false
  let begin = 0
  const taken = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) at += found.length
    return found
  }
  const wordAt = (): ShellWord | undefined => {
    const from = at
    let word = ''
    let isKnown = true
    let bare = ''
    next: for (;;) {
      for (const [pattern, kind] of parts) {
        const found = taken(pattern)
        if (found === undefined) continue
        bare += kind === 'bare' ? found : '\0'
        if (kind === 'unknown' || (kind === 'double' && /(?:^|[^\\])(?:\\\\)*[$`]./.test(found.slice(0, -1))))
          isKnown = false
        if (kind === 'quoted') word += found.slice(1, -1)
        else if (kind === 'double') word += found.slice(1, -1).replace(/\\([$`"\\\n])/g, '$1')
        else word += kind === 'escaped' ? found.slice(1) : found
        continue next
      }
      break
    }
    if (at === from) return undefined
    // In an assignment a shell looks for no files: `DEBUG=*`.
    const isAssignment = /^[A-Za-z_]\w*=/.test(bare)
    const isPattern = isAssignment ? /[=:]~/.test(bare) : /[*?[]|^~|\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(bare)
    return { text: word, raw: text.slice(from, at), isPlain: isKnown && !isPattern }
  }
  const end = (until: number): void => {
    if (words.length > 0) {
      if (reserved.test(words[0]!.raw)) isPlain = false
      commands.push({ words, joint, readsInput, groups: [...groups], begin, end: until })
    }
    words = []
    readsInput = false
  }
  while (at < text.length) {
    if (taken(blank) !== undefined || taken(comment) !== undefined) continue
    const from = at
    const redirected = taken(redirection)
    if (redirected !== undefined) {
      if (redirected.includes('<<')) isPlain = false
      else if (redirected.includes('<')) readsInput = true
      taken(blank)
      if (wordAt() === undefined) isPlain = false
      continue
    }
    const joined = taken(joints)
    if (joined !== undefined) {
      end(from)
      if (joined === ';;') isPlain = false
      joint = joined === '\n' ? ';' : joined === '|&' ? '|' : joined
      begin = at
      continue
    }
    if (text[at] === '(') {
      if (words.length > 0) isPlain = false
      groups.push(at++)
      begin = at
      continue
    }
    if (text[at] === ')') {
      end(at++)
      if (groups.pop() === undefined) isPlain = false
      continue
    }
    const word = wordAt()
    if (word === undefined) {
      // A quote that has no end.
      isPlain = false
      break
    }
    if (words.length === 0) begin = from
    words.push(word)
  }
  end(text.length)
  return { commands, isPlain: isPlain && groups.length === 0 }
}
