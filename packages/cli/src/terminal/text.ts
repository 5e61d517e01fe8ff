// What texts for a terminal are made of: at most 100 columns, colours only where there is a terminal.

export interface TextOptions {
  readonly colours: boolean
}

export const width = 100

export type Style = (text: string) => string

export function stylesFor({
  colours,
}: TextOptions): Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', Style> {
  const style = (on: number, off: number): Style =>
    colours ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
  }
}

/** A text in lines of the width, from `indent` on. */
export function wrap(text: string, indent: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? word : ` ${word}`
  }
  return [...lines, line].map((one) => ' '.repeat(indent) + one)
}

/** `1 route`, `2 routes`. */
export function count(number: number, of: string): string {
  return `${number} ${of}${number === 1 ? '' : 's'}`
}

/** `16 routes`, `16 routes and 2 mounts`. */
export function countRows(routes: number, mounts: number): string {
  return mounts === 0 ? count(routes, 'route') : `${count(routes, 'route')} and ${count(mounts, 'mount')}`
}
