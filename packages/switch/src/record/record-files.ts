// The files of a recording: what was written can be read at any moment, and one that is full is put aside.
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  write as writeTo,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { performance } from 'node:perf_hooks'
import { harEnd, harStart, wholeHarOf } from '../../../compare/src/recording.js'

export interface RecordFilesOptions {
  readonly file: string
  readonly isHar: boolean
  readonly maxFileBytes: number
  /** How many are kept. */
  readonly files: number
}

interface Line {
  readonly text: string
  readonly bytes: number
  readonly written: (error?: unknown) => void
}

/** After how long a file that could not be written is opened again. */
const reopenMs = 5000
/** Bytes that are written at once. */
const batchBytes = 256 * 1024

export class RecordFiles {
  readonly #options: RecordFilesOptions
  readonly #waiting: Line[] = []
  #waitingBytes = 0
  #descriptor: number | undefined
  /** Of the file, without what closes a HAR. */
  #bytes = 0
  #isFirst = true
  #writing: Promise<void> | undefined
  #problem: unknown
  #reopenAt = 0

  constructor(options: RecordFilesOptions) {
    this.#options = options
  }

  /** Bytes that are not in the file yet. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Calls `written` once the line is in the file, or with what has prevented that. */
  write(text: string, written: Line['written']): void {
    // A disk that was full may have room again.
    if (this.#problem !== undefined && performance.now() < this.#reopenAt) return written(this.#problem)
    const bytes = Buffer.byteLength(text) + 1
    this.#waiting.push({ text, bytes, written })
    this.#waitingBytes += bytes
    this.#writing ??= this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    // What comes in the same turn is written at once.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      let batch: Line[] = []
      try {
        this.#prepare(this.#waiting[0]!.bytes)
        batch = this.#nextBatch()
        await this.#append(batch.map(({ text }) => text))
        this.#problem = undefined
        this.#finish(batch, undefined)
      } catch (error) {
        this.#problem = error
        this.#reopenAt = performance.now() + reopenMs
        this.#close()
        this.#finish([...batch, ...this.#waiting.splice(0)], error)
      }
    }
    // At once: a line that comes a moment later would find neither this run nor begin another one.
    this.#writing = undefined
  }

  #finish(lines: readonly Line[], error: unknown): void {
    for (const { bytes, written } of lines) {
      this.#waitingBytes -= bytes
      written(error)
    }
  }

  /** As many lines as go into this file, at least one. */
  #nextBatch(): Line[] {
    let bytes = 0
    const isFull = ({ bytes: more }: Line): boolean =>
      bytes + more > batchBytes || this.#bytes + bytes + more > this.#options.maxFileBytes
    let count = 0
    for (const line of this.#waiting) {
      if (count > 0 && isFull(line)) break
      bytes += line.bytes
      count++
    }
    return this.#waiting.splice(0, count)
  }

  #prepare(bytes: number): void {
    if (this.#descriptor === undefined) this.#open()
    // Also of a file that was there.
    if (this.#bytes === 0 || this.#bytes + bytes <= this.#options.maxFileBytes) return
    this.#close()
    this.#shift()
    this.#open()
  }

  /** Each write leaves a HAR closed: what closes it is written over by the next one. */
  async #append(texts: readonly string[]): Promise<void> {
    const { isHar } = this.#options
    const text = isHar
      ? `${this.#isFirst ? harStart : ',\n'}${texts.join(',\n')}`
      : texts.map((one) => `${one}\n`).join('')
    const bytes = Buffer.from(isHar ? text + harEnd : text)
    for (let written = 0; written < bytes.length;) {
      // JSON Lines are appended, wherever the file ends: another program may have cut it.
      const position = isHar ? this.#bytes + written : null
      written += await writeBytes(this.#descriptor!, bytes, written, position)
    }
    this.#bytes += bytes.length - (isHar ? harEnd.length : 0)
    this.#isFirst = false
  }

  #open(): void {
    const { file, isHar } = this.#options
    mkdirSync(dirname(file), { recursive: true })
    // HAR cannot be gone on with, and what was cut is not to be mixed up with what follows.
    if (existsSync(file) && (isHar || !endsWithLine(file))) {
      if (isHar) closeHar(file)
      this.#shift()
    }
    this.#descriptor = openSync(file, isHar ? 'w' : 'a', 0o600)
    this.#bytes = fstatSync(this.#descriptor).size
    this.#isFirst = true
  }

  #close(): void {
    const descriptor = this.#descriptor
    this.#descriptor = undefined
    if (descriptor !== undefined) closeSync(descriptor)
  }

  #shift(): void {
    const { file, files } = this.#options
    const nameOf = (at: number): string => (at === 0 ? file : `${file}.${at}`)
    rmSync(nameOf(files - 1), { force: true })
    for (let at = files - 2; at >= 0; at--) if (existsSync(nameOf(at))) renameSync(nameOf(at), nameOf(at + 1))
  }

  /** Writes what waits, and closes the file. */
  async close(): Promise<void> {
    await this.#writing
    this.#close()
  }
}

function writeBytes(
  descriptor: number,
  bytes: Buffer,
  from: number,
  position: number | null,
): Promise<number> {
  return new Promise((resolve, reject) => {
    writeTo(descriptor, bytes, from, bytes.length - from, position, (error, count) => {
      if (error === null) resolve(count)
      else reject(error)
    })
  })
}

/** Closes a HAR whose process has ended in the middle of a line, so that other tools read it. */
function closeHar(file: string): void {
  const { size } = statSync(file)
  if (size < harStart.length || endOf(file, harEnd.length).toString() === harEnd) return
  const whole = wholeHarOf(readFileSync(file, 'utf8'))
  if (whole !== undefined) writeFileSync(file, whole)
}

function endsWithLine(file: string): boolean {
  return statSync(file).size === 0 || endOf(file, 1)[0] === 10
}

function endOf(file: string, bytes: number): Buffer {
  const end = Buffer.alloc(bytes)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, end, 0, bytes, Math.max(0, statSync(file).size - bytes))
  } finally {
    closeSync(descriptor)
  }
  return end
}
