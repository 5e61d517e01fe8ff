import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DefaultTheme, defineConfig } from 'vitepress'

const docs = join(dirname(fileURLToPath(import.meta.url)), '..')
const { description, repository } = JSON.parse(readFileSync(join(docs, '../package.json'), 'utf8')) as {
  description: string
  repository?: { url: string }
}
const source = repository?.url.replace(/^git\+|\.git$/g, '')

const start = [{ text: 'Five minutes', link: '/start' }]

const express = [
  { text: 'Handlers and whole apps', link: '/express' },
  { text: 'Checks of a pull request', link: '/ci' },
  { text: 'Connect and other frameworks', link: '/connect' },
]

const steps = [
  { text: 'The steps', link: '/migrate' },
  ...[
    'doctor',
    'inspect',
    'in-front',
    'move',
    'reasons',
    'traps',
    'brief',
    'prove',
    'check',
    'parity',
    'switch',
    'stores',
    'shadow',
    'rollback',
    'page',
    'record',
    'retire',
    'lift',
    'status',
  ].map((name) => ({ text: titleOf(`migrate/${name}.md`).replaceAll('`', ''), link: `/migrate/${name}` })),
]

const routes = [
  { text: 'Typed routes, groups, schemas', link: '/typed-routes' },
  { text: 'Middleware', link: '/middleware' },
  { text: 'OpenAPI', link: '/openapi' },
  { text: 'What you can rely on', link: '/behaviour' },
]

const operation = [
  { text: 'Deployment', link: '/deployment' },
  { text: 'Shutdown', link: '/shutdown' },
  { text: 'Traces, metrics, logs', link: '/observability' },
  { text: 'Runtimes and tools', link: '/environments' },
  { text: 'Reliability', link: '/reliability' },
]

const recipes = [
  'authentication',
  'validation-and-errors',
  'groups-and-versions',
  'files-and-uploads',
  'long-lists',
  'server-sent-events',
  'websockets',
  'cors-and-helmet',
  'rate-limits',
  'logging',
  'tracing',
  'metrics',
  'health-checks',
  'testing',
  'background-work',
  'tls-and-http2',
  'several-cores',
  'containers',
  'other-runtimes',
].map((name) => ({ text: titleOf(`recipes/${name}.md`), link: `/recipes/${name}` }))

const names = ['every-program', 'moving-an-express-app', 'building-tools'].map((name) => ({
  text: titleOf(`names/${name}.md`),
  link: `/names/${name}`,
}))

const api = [
  'routecontrollers',
  'routecontrollers/express',
  'routecontrollers/openapi',
  'routecontrollers/bun',
  'routecontrollers/deno',
  'routecontrollers/lambda',
  'routecontrollers/workers',
  '@routecontrollers/cli',
  '@routecontrollers/switch',
].map((name) => ({ text: name, link: `/api/${name}` }))

const project = [
  { text: 'What it costs on your Node', link: '/costs' },
  { text: 'Compared with others', link: '/compare' },
  { text: 'Architecture', link: '/architecture' },
  { text: 'Advisories', link: '/advisories' },
  { text: 'Tests', link: '/testing' },
  { text: 'Releases', link: '/releasing' },
  { text: 'How to write here', link: '/style' },
]

const sidebar: DefaultTheme.SidebarItem[] = [
  { text: 'Start', items: start },
  { text: 'With Express', items: express },
  { text: 'Move an app, route by route', items: steps },
  { text: 'Routes', items: routes },
  { text: 'Operation', items: operation },
  { text: 'Recipes', items: recipes, collapsed: true },
  { text: 'API', items: names },
  { text: 'All of the API', items: api, collapsed: true },
  { text: 'Project', items: project },
]

/** The site of these pages: `npm run docs` builds it, `npm run docs:serve` shows it. It loads nothing from anywhere else. */
export default defineConfig({
  title: 'routecontrollers',
  description,
  lang: 'en-GB',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  cleanUrls: false,
  lastUpdated: false,
  srcExclude: ['decisions/**'],
  buildEnd({ outDir }) {
    writeFileSync(join(outDir, 'llms.txt'), llmsText())
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Migrate', link: '/migrate', activeMatch: '^/migrate' },
      { text: 'Recipes', link: '/recipes/authentication', activeMatch: '^/recipes/' },
      { text: 'API', link: '/names/every-program', activeMatch: '^/(?:names|api)/' },
      { text: 'Compare', link: '/compare' },
    ],
    sidebar,
    search: { provider: 'local' },
    outline: [2, 3],
  },
  markdown: {
    // GitHub's names of headings, which test/docs/links.test.ts checks: VitePress would make `http-2` of `HTTP/2`.
    anchor: {
      slugify: (heading) =>
        heading
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replace(/\s/g, '-'),
    },
    config(md) {
      md.core.ruler.push('links-out-of-docs', ({ tokens, env }) => {
        const page = (env as { path: string }).path
        for (const { children } of tokens) {
          children?.forEach((token, at) => {
            if (token.type !== 'link_open') return
            const href = token.attrGet('href')!
            if (/^(?:\w+:|[#/])/.test(href)) return
            const file = relative(docs, join(dirname(page), href))
            if (!file.startsWith('..') && !file.startsWith('decisions')) return
            // A file of the repository, which the site does not have.
            const path = relative(join(docs, '..'), join(docs, file))
            const end = children.slice(at).findIndex(({ type }) => type === 'link_close') + at
            if (source !== undefined) token.attrSet('href', `${source}/blob/main/${path}`)
            else
              for (const one of [token, children[end]!])
                Object.assign(one, { type: 'text', content: '', tag: '' })
          })
        }
      })
    },
  },
})

function titleOf(file: string): string {
  return /^# (.*)$/m.exec(readFileSync(join(docs, file), 'utf8'))![1]!
}

/** All pages with what they are for, as programs that read a site look for it: https://llmstxt.org */
function llmsText(): string {
  const sections = sidebar.map(({ text, items = [] }) => {
    const lines = items.flatMap(({ text: name, link }) =>
      link === undefined || link.startsWith('/api/')
        ? []
        : `- [${name}](${link}.html): ${purposeOf(`.${link}.md`)}`,
    )
    return lines.length === 0 ? '' : `\n## ${text}\n\n${lines.join('\n')}\n`
  })
  return `# routecontrollers\n\n> ${description}\n${sections.join('')}`
}

/** The first sentence of a page. */
function purposeOf(file: string): string {
  const [, paragraph = ''] =
    /^# .*\n\n([^#|<`-][^]*?)\n\n/m.exec(readFileSync(join(docs, file), 'utf8')) ?? []
  const [sentence = ''] = /^[^]*?[.:](?=\s|$)/.exec(paragraph) ?? []
  return sentence.replace(/\s+/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}
