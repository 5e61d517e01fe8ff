// Makes a path that a pattern matches, to be asked of the real matcher afterwards: what is made here need not be right.

/** How a path is to be made: which values params get, and whether what is optional is there. */
export interface Taste {
  /** The number of the value; each has another form, for params that are checked. */
  readonly value: number
  readonly withOptional: boolean
}

/** From what a reader would write to what a checked param may ask for. */
export const tastes: readonly Taste[] = [0, 1, 2, 3, 4, 5].flatMap((value) => [
  { value, withOptional: false },
  { value, withOptional: true },
])

function valueFor(name: string, { value }: Taste): string {
  const plain = name.replace(/[^\w-]/g, '') || 'x'
  const values = [`${plain}-1`, '1', 'a', '2024-01-31', '3b241101-e2bb-4255-8caf-4136c566a962', plain]
  return values[value]!
}

/** A path for a pattern of Express 5, or of a Controller under its profile. */
export function candidatePath5(pattern: string, taste: Taste): string {
  let path = ''
  let skipped = 0
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!
    if (character === '\\') {
      at++
      if (skipped === 0) path += pattern.charAt(at)
    } else if (character === '{') skipped += taste.withOptional && skipped === 0 ? 0 : 1
    else if (character === '}') skipped = Math.max(0, skipped - 1)
    else if (character === ':' || character === '*') {
      const [written, quoted = written] =
        /^(?:"((?:[^"\\]|\\.)*)"|[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)?/u.exec(
          pattern.slice(at + 1),
        )!
      if (skipped === 0) path += valueFor(quoted, taste)
      at += written.length
    } else if (skipped === 0) path += character
  }
  return path
}

/** A path for a pattern of Express 4. */
export function candidatePath4(pattern: string, taste: Taste): string {
  return pattern
    .replace(
      /:(\w+)(\((?:\\.|[^()\\])*\))?([?*+])?/g,
      (_all, name: string, group?: string, quantifier?: string) => {
        if (quantifier === '?' && !taste.withOptional) return ''
        return group === undefined
          ? valueFor(name, taste)
          : candidateOfRegExp(new RegExp(`^${group}$`), [name], taste)
      },
    )
    .replace(/\*/g, 'x')
    .replace(/[a-z0-9]\?/gi, (optional) => (taste.withOptional ? optional[0]! : ''))
    .replace(/[+()]/g, '')
    .replace(/\/\/+/g, '/')
}

/** A path for a pattern of our own. */
export function candidatePath(
  segments: readonly { kind: string; text?: string; name?: string }[],
  taste: Taste,
): string {
  return segments
    .map(({ text, name }) => `/${text ?? valueFor(name === '*' ? 'rest' : name!, taste)}`)
    .join('')
}

const pool = [...'axA1/-_.~!$&,;=@ b2%']

/** A text that a regular expression matches; `names` are those of its groups, in their order. */
export function candidateOfRegExp(regexp: RegExp, names: readonly string[], taste: Taste): string {
  const { source } = regexp
  let at = 0
  let group = 0

  const alternatives = (): string => {
    const made = [sequence()]
    while (source[at] === '|') {
      at++
      made.push(sequence())
    }
    return made[taste.value % made.length]!
  }

  const sequence = (): string => {
    let made = ''
    while (at < source.length && source[at] !== '|' && source[at] !== ')') made += quantified(item())
    return made
  }

  const quantified = (made: string): string => {
    const quantifier = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(source.slice(at))
    if (quantifier === null) return made
    at += quantifier[0].length
    if (quantifier[1] !== undefined) return made.repeat(Number(quantifier[1]))
    return quantifier[0].startsWith('+') || taste.withOptional ? made : ''
  }

  const item = (): string => {
    const character = source[at++]!
    if (character === '(') return inGroup()
    if (character === '[') return inClass()
    if (character === '.') return 'x'
    if (character === '^' || character === '$') return ''
    return character === '\\' ? escaped(source[at++]!) : character
  }

  const inGroup = (): string => {
    const start = at
    const kind = /^\?(?:[:=!]|<[=!]|<(\w+)>)/.exec(source.slice(at))
    at += kind?.[0].length ?? 0
    const isCapturing = kind === null || kind[1] !== undefined
    const own = isCapturing ? group++ : -1
    const made = alternatives()
    at++
    if (/^\?(?:[=!]|<[=!])/.test(kind?.[0] ?? '')) return ''
    const name = kind?.[1] ?? names[own]
    if (own < 0 || name === undefined) return made
    const hint = valueFor(/^\d+$/.test(name) ? 'x' : name, taste)
    return new RegExp(`^(?:${source.slice(start, at - 1).replace(/^\?<\w+>/, '')})$`, regexp.flags).test(hint)
      ? hint
      : made
  }

  const inClass = (): string => {
    const start = at - 1
    while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1
    at++
    const matcher = new RegExp(`^${source.slice(start, at)}$`, regexp.flags)
    return pool.find((one) => matcher.test(one)) ?? 'x'
  }

  const escaped = (character: string): string => {
    const classes: Record<string, string> = { d: '1', w: 'a', s: '%20', D: 'a', W: '-', S: 'a', b: '', B: '' }
    return classes[character] ?? character
  }

  return alternatives()
}
