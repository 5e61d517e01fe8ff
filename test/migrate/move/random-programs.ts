// Random programs that register routes, as text, in the ways in which people write them.
import { below, pick, type Random } from '../../hard/random.js'

export interface RandomProgram {
  readonly version: 4 | 5
  /** The body of `(express, see, letters, fail) => app`, where `letters` is a regular expression and `fail` makes an error. */
  readonly text: string
}

const segments = ['a', 'b', 'users', 'Admin', 'x.y']
const names = ['id', 'name', 'tenant']

/** Makes a program; the same chances make the same one. */
export function createRandomProgram(random: Random, version: 4 | 5 = random() < 0.5 ? 4 : 5): RandomProgram {
  const writer = new Writer(random, version)
  return { version, text: writer.program() }
}

class Writer {
  readonly #random: Random
  readonly #version: 4 | 5
  readonly #semicolon: string
  readonly #quote: string
  #budget: number
  #count = 0
  #lines: string[] = []
  /** Functions that are hoisted to the end of the program. */
  readonly #functions: string[] = []

  constructor(random: Random, version: 4 | 5) {
    this.#random = random
    this.#version = version
    this.#semicolon = random() < 0.5 ? ';' : ''
    this.#quote = random() < 0.5 ? "'" : '"'
    this.#budget = 6 + below(random, 22)
  }

  program(): string {
    const chance = this.#random
    const end = chance() < 0.15 ? '\r\n' : '\n'
    const app = pick(chance, ['app', 'server', 'this.app'])
    this.#add(app.startsWith('this.') ? `${app} = express()` : `const ${app} = express()`)
    this.#add(`${app}.set('env', 'test')`)
    if (chance() < 0.15) this.#add(`${app}.enable('strict routing')`)
    if (chance() < 0.15) this.#add(`${app}.enable('case sensitive routing')`)
    if (chance() < 0.2) this.#add(`${app}.disable('x-powered-by')`)
    if (chance() < 0.2) this.#add(`${app}.set('json spaces', 1)`)
    this.#fill(app, 0, '')
    this.#add(`${chance() < 0.5 ? '// The end\n' : ''}return ${app}`)
    return [...this.#lines, ...this.#functions].join('\n').replaceAll('\n', end)
  }

  #add(statement: string, indent = ''): void {
    this.#lines.push(`${indent}${statement}${this.#semicolon}`)
  }

  #name(stem: string): string {
    return `${stem}${++this.#count}`
  }

  /** Statements that register with a router. */
  #fill(router: string, depth: number, indent: string): void {
    const chance = this.#random
    while (this.#budget-- > 0) {
      const what = chance()
      if (what < 0.06 && depth > 0) return
      if (what < 0.14) this.#add(`${router}.use(${this.#mountPath()}${this.#handlers('use')})`, indent)
      else if (what < 0.17) this.#add(`${router}.use(${this.#mountPath()}${this.#errorHandler()})`, indent)
      else if (what < 0.2)
        this.#add(`${router}.param(${this.#text(pick(chance, names))}, ${this.#param()})`, indent)
      else if (what < 0.27) this.#router(router, depth, indent)
      else if (what < 0.3) this.#app(router, depth, indent)
      else if (what < 0.38) this.#route(router, indent)
      else if (what < 0.45) this.#chain(router, indent)
      else if (what < 0.48) this.#loop(router, indent)
      else if (what < 0.51) this.#block(router, depth, indent)
      else if (what < 0.54)
        this.#lines.push(
          `${indent}${pick(chance, ['// a comment', '/* a\n comment */', '', '// eslint-disable-next-line'])}`,
        )
      else if (what < 0.56) this.#caller(router, indent)
      else if (what < 0.59 && depth === 0) this.#add(`${router}.use(${this.#catchAll()})`, indent)
      else
        this.#add(
          `${router}${this.#registration()}${chance() < 0.1 && this.#semicolon !== '' ? '; // why' : ''}`,
          indent,
        )
    }
  }

  /** `.get(path, …handlers)`. */
  #registration(): string {
    const verb = pick(this.#random, [
      'get',
      'get',
      'get',
      'post',
      'post',
      'put',
      'head',
      'options',
      'all',
      'delete',
    ])
    const gap = this.#random() < 0.08 ? '\n    ' : ''
    return `${gap}.${verb}(${gap}${this.#path()},${gap === '' ? ' ' : gap}${this.#handlers('route')}${this.#random() < 0.05 ? ',' : ''})`
  }

  #route(router: string, indent: string): void {
    const verbs = Array.from(
      { length: 1 + below(this.#random, 3) },
      () =>
        `\n${indent}  .${pick(this.#random, ['get', 'post', 'all', 'delete', 'head'])}(${this.#handlers('route')})`,
    )
    const comment = this.#random() < 0.2 ? `\n${indent}  // reads` : ''
    const text = `${router}.route(${this.#path()})${comment}${verbs.join('')}`
    this.#add(this.#random() < 0.3 && comment === '' ? text.replace(/\n\s*\./g, '.') : text, indent)
  }

  #chain(router: string, indent: string): void {
    const links = Array.from({ length: 2 + below(this.#random, 2) }, () =>
      this.#random() < 0.2 ? `.use(${this.#mountPath()}${this.#handlers('use')})` : this.#registration(),
    )
    this.#add(router + links.join(pick(this.#random, ['', `\n${indent}  `])), indent)
  }

  #loop(router: string, indent: string): void {
    const name = this.#name('one')
    const list = Array.from({ length: 1 + below(this.#random, 3) }, () =>
      this.#text(pick(this.#random, segments)),
    )
    this.#lines.push(`${indent}for (const ${name} of [${list.join(', ')}]) {`)
    for (let left = 1 + below(this.#random, 2); left > 0; left--) {
      const verb = pick(this.#random, ['get', 'post'])
      this.#add(
        `${router}.${verb}(\`/\${${name}}${pick(this.#random, ['', '/:id'])}\`, ${this.#handlers('route')})`,
        `${indent}  `,
      )
    }
    this.#lines.push(`${indent}}`)
  }

  #block(router: string, depth: number, indent: string): void {
    if (this.#random() < 0.5) {
      return this.#add(
        `if (${pick(this.#random, ['true', 'false'])}) ${router}${this.#registration()}`,
        indent,
      )
    }
    this.#lines.push(`${indent}{`)
    const budget = this.#budget
    this.#budget = Math.min(budget, 3)
    this.#fill(router, depth, `${indent}  `)
    this.#budget = budget - 3
    this.#lines.push(`${indent}}`)
  }

  /** A function that is given the router. */
  #caller(router: string, indent: string): void {
    const name = this.#name('add')
    if (this.#random() < 0.5) {
      this.#add(`const ${name} = (to) => to${this.#registration().replaceAll('\n', ' ')}`, indent)
      for (let left = 1 + below(this.#random, 2); left > 0; left--) this.#add(`${name}(${router})`, indent)
      return
    }
    this.#add(`${name}.call(this, ${router})`, indent)
    const outer = this.#lines
    const budget = this.#budget
    this.#lines = [`function ${name}(to) {`]
    this.#budget = Math.min(budget, 3)
    this.#fill('to', 1, '  ')
    this.#lines.push('}')
    this.#functions.push(...this.#lines)
    this.#lines = outer
    this.#budget = budget - 3
  }

  #router(parent: string, depth: number, indent: string): void {
    const chance = this.#random
    const name = this.#name('router')
    const options = ['mergeParams', 'strict', 'caseSensitive'].filter(() => chance() < 0.25)
    const given = options.length === 0 ? '' : `{ ${options.map((one) => `${one}: true`).join(', ')} }`
    this.#add(
      `const ${name} = express.Router(${given})${chance() < 0.15 ? this.#registration() : ''}`,
      indent,
    )
    const mount = `${parent}.use(${this.#mountPath()}${chance() < 0.3 ? `${this.#handler('use')}, ` : ''}${name})`
    const isBefore = chance() < 0.2
    if (isBefore) this.#add(mount, indent)
    this.#fill(name, depth + 1, indent)
    if (!isBefore) this.#add(mount, indent)
  }

  #app(parent: string, depth: number, indent: string): void {
    const name = this.#name('app')
    this.#add(`const ${name} = express()`, indent)
    if (this.#random() < 0.3) this.#add(`${name}.enable('strict routing')`, indent)
    this.#fill(name, depth + 1, indent)
    this.#add(`${parent}.use(${this.#mountPath()}${name})`, indent)
  }

  #handlers(kind: string): string {
    const list = Array.from({ length: 1 + below(this.#random, 3) }, (_one, at) =>
      this.#handler(kind, at === 0),
    )
    if (this.#random() < 0.08) list.push(this.#errorHandler())
    return this.#random() < 0.15 ? `[${list.join(', ')}]` : list.join(', ')
  }

  #handler(kind: string, mayAnswer = true): string {
    const chance = this.#random()
    const note = `see(req, ${this.#text(this.#name(kind))})`
    const answers = kind === 'route' ? 0.5 : 0.06
    if (mayAnswer && chance < answers / 2) return `(req, res) => res.json(${note})`
    if (mayAnswer && chance < answers)
      return `(req, res) => {\n    /* answers */\n    res.status(201).send(JSON.stringify(${note}))\n  }`
    if (chance < answers + 0.04) return `(req, res, next) => next(fail(${note}))`
    if (chance < answers + 0.07 && kind === 'route') return `(req, res, next) => { ${note}; next('route') }`
    if (chance < answers + 0.09) return `(req, res, next) => { ${note}; next('router') }`
    if (chance < answers + 0.11)
      return `(req, res, next) => { see(req, ${this.#text(this.#name('rewrite'))}); req.url = '/a' ; next() }`
    if (chance < answers + 0.13) return `(req, res, next) => { res.json(${note}); next() }`
    if (chance < answers + 0.17) return `async (req, res, next) => { ${note}; await null; next() }`
    return `(req, res, next) => { ${note}; next() }`
  }

  #catchAll(): string {
    return `(req, res) => res.status(404).send(JSON.stringify(see(req, ${this.#text(this.#name('none'))})))`
  }

  #errorHandler(): string {
    const note = `see(req, ${this.#text(this.#name('error'))})`
    return this.#random() < 0.5
      ? `(error, req, res, next) => { ${note}; next(error) }`
      : `(error, req, res, next) => { ${note}; res.status(500).send(error.message) }`
  }

  #param(): string {
    return `(req, res, next, value, name) => { see(req, ${this.#text(this.#name('param'))} + value + name); next() }`
  }

  #mountPath(): string {
    const chance = this.#random()
    if (chance < 0.4) return ''
    if (chance < 0.5) return `${this.#text('/')}, `
    return `${this.#path()}, `
  }

  #path(): string {
    const chance = this.#random()
    if (chance < 0.04) return 'letters'
    if (chance < 0.1) return this.#text('/')
    if (chance < 0.14) return this.#text(this.#version === 4 ? '*' : '/{*all}')
    if (chance < 0.18) return `[${this.#text(this.#pattern())}, ${this.#text(this.#pattern())}]`
    if (chance < 0.22) return `\`${this.#pattern()}\``
    return this.#text(this.#pattern() + (this.#random() < 0.1 ? '/' : ''))
  }

  #pattern(): string {
    const list: string[] = []
    const free = [...names]
    for (let left = 1 + below(this.#random, 2); left > 0; left--) {
      if (this.#random() < 0.35) list.push(`:${free.splice(below(this.#random, free.length), 1)[0]!}`)
      else list.push(pick(this.#random, segments))
    }
    return `/${list.join('/')}`
  }

  #text(text: string): string {
    return `${this.#quote}${text}${this.#quote}`
  }
}

/** A request that has a chance to be matched. */
export function createRandomRequest(random: Random): { method: string; url: string } {
  const list = Array.from({ length: below(random, 4) }, () =>
    random() < 0.05
      ? pick(random, ['%', '%41', '%2F', '', '..', 'x'])
      : pick(random, [...segments, 'USERS', '7']),
  )
  const url = `/${list.join('/')}${random() < 0.15 ? '/' : ''}${random() < 0.1 ? '?q=/a/b' : ''}`
  const method = pick(random, ['GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'OPTIONS', 'PUT', 'DELETE'])
  return { method, url }
}
