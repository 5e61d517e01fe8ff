// What `retire` deletes of a file besides the handlers, and what it keeps.
import { compileFunction } from 'node:vm'
import express from 'express'
import * as routecontrollers from 'routecontrollers/express'
import { recordRegistrations } from '@routecontrollers/cli'
import { retireText } from '../../../packages/cli/src/retire/retire-text.js'
import { type MovedText, moveText } from '../move/move-text.js'

const file = '/deleted/program.cjs'
const stop = recordRegistrations(express)
afterAll(() => stop())

const modules: Record<string, unknown> = { express, process, 'routecontrollers/express': routecontrollers }
function looked(text: string): MovedText {
  const program = compileFunction(`${text}\nreturn app`, ['require'], { filename: file })
  const app = program((name: string) => modules[name])
  return moveText(app, file, text, 'retired')
}
const retired = (text: string): string => looked(text).text

it('the end of what retire tells says what routes that are retired need', () => {
  const told = (...left: (string | undefined)[]): string =>
    retireText(
      {
        version: 1,
        routes: left.map((one) => ({
          ...{ kind: 'route', method: 'GET', path: '/a', at: 'app.js:1' },
          ...(one !== undefined && { left: one }),
        })) as never,
        files: [],
      },
      { colours: false, isWritten: false },
    )
  const needs = 'At legacy nothing answers these routes any more'
  const unwritten = 'Nothing is written'
  expect(told(undefined, 'a reason')).toMatch(new RegExp(`${needs}[^]*${unwritten}`))
  expect(told('a reason')).not.toMatch(new RegExp(`${needs}|${unwritten}`))
})

const head = `const express = require('express')
const { native } = require('routecontrollers/express')
const app = express()
`
const route = "app.get('/a', native(() => 'new'), (req, res) => res.send(old(req)))\n"
const without = "app.get('/a', native(() => 'new'))\n"

it.each([
  [
    'a function with one of the empty lines around it',
    `${head}\nconst old = () => 'old'\n\n${route}`,
    `${head}\n${without}`,
  ],
  [
    'a function between a line and an empty one, and leaves that',
    `${head}const old = () => 'old'\n\n${route}`,
    `${head}\n${without}`,
  ],
  [
    'a function at the beginning of a file with the empty line behind it',
    `const old = () => 'old'\n\n${head}${route}`,
    `${head}${without}`,
  ],
  [
    'a function with the comments above it, and none that an empty line parts from it',
    `${head}// Of all.\n\n// Of the old one.\n/** Once more. */\nconst old = () => 'old'\n${route}`,
    `${head}// Of all.\n\n${without}`,
  ],
  [
    'no comment about the file',
    `// @ts-check\nconst old = () => 'old'\n${head}${route}`,
    `// @ts-check\n${head}${without}`,
  ],
  [
    'no comment that turns rules off for what follows',
    `${head}/* eslint-disable no-var */\nconst old = () => 'old'\n${route}`,
    `${head}/* eslint-disable no-var */\n${without}`,
  ],
  ...['// @ts-expect-error', '// @ts-ignore: old', '// eslint-disable-next-line no-var'].map((comment) => [
    `${comment} with the line that it is about`,
    `${head}// Of the app.\n\n${comment}\nconst old = () => 'old'\n${route}`,
    `${head}// Of the app.\n\n${without}`,
  ]),
  [
    'a comment about an import with that, and none above that one',
    `// The shop.\n// @ts-ignore\nconst { cwd: old } = require('process')\n${head}${route}`,
    `// The shop.\n${head}${without}`,
  ],
  [
    'a line that only binds what is used no more',
    `${head}const teas = { show: (req, res) => res.send('old') }\nconst old = teas.show.bind(teas)\nconst plain = function (req, res) { res.send('old') }\nconst young = plain.bind(null)\napp.get('/a', native(() => 'new'), old)\napp.get('/b', native(() => 'new'), young)\n`,
    `${head}${without}app.get('/b', native(() => 'new'))\n`,
  ],
  [
    'no function that is bound to nothing, and read from what may do something then',
    `${head}const made = []\nconst teas = { get show() { made.push(1); return String } }\nconst old = teas.show.bind(null)\n${route}`,
    `${head}const made = []\nconst teas = { get show() { made.push(1); return String } }\nconst old = teas.show.bind(null)\n${without}`,
  ],
  [
    'no other call of bind, as that of a socket',
    `${head}const made = []\nconst socket = { bind: (port) => made.push(port) }\nconst port = socket.bind(80)\nconst old = () => port\n${route}`,
    `${head}const made = []\nconst socket = { bind: (port) => made.push(port) }\nconst port = socket.bind(80)\n${without}`,
  ],
  [
    'no class, which may do something when it is made',
    `${head}const kinds = []\nconst old = class {\n  static all = kinds.push('old')\n}\n${route}`,
    `${head}const kinds = []\nconst old = class {\n  static all = kinds.push('old')\n}\n${without}`,
  ],
  [
    'no import for what a module does, nor what loads one later',
    `require('os')\n${head}const old = () => later\nconst later = process.env.NEVER && import('./old.js')\n${route}`,
    `require('os')\n${head}const later = process.env.NEVER && import('./old.js')\n${without}`,
  ],
  [
    'what move has made by a call, whose name has a number where another one has that name',
    `${head}const wrap = (handler) => (req, res) => handler(req, res)\nconst getA2 = wrap((req, res) => res.send('old'))\n${route.replace('(req, res) => res.send(old(req))', 'getA2')}keep(wrap)\nfunction keep() {}\n`,
    `${head}const wrap = (handler) => (req, res) => handler(req, res)\n${without}keep(wrap)\nfunction keep() {}\n`,
  ],
  [
    'no function that another one is declared with',
    `${head}const old = () => 'old', young = () => 'young'\n${route}`,
    `${head}const old = () => 'old', young = () => 'young'\n${without}`,
  ],
])('deletes %s', (_what, before, after) => {
  expect(retired(before)).toBe(after)
})

const elsewhere = 'handlers behind its native callback are made elsewhere'
it.each<[string, string, left: string[]]>([
  ['a list is spread behind it', "app.get('/a', native(() => 'new'), ...old)", [elsewhere]],
  [
    'a list behind it spreads another one',
    "app.get('/a', native(() => 'new'), [(req, res, next) => next(), ...old])",
    [elsewhere],
  ],
  ['a name behind it stands for two', "app.get('/a', native(() => 'new'), two)", [elsewhere]],
  [
    'it has two native callbacks',
    "app.get('/a', native(() => '1'), native(() => '2'), (req, res) => res.send('old'))",
    ['it has more native callbacks than one'],
  ],
  [
    'its handler came with a later call',
    "const at = app.route('/a')\nat.get(native(() => 'new'))\nat.get((req, res) => res.send('old'))",
    ['its native callback is made elsewhere'],
  ],
  [
    'its handlers stand in several lists',
    "app.get('/a', [native(() => 'new')], [(req, res) => res.send('old')])",
    ['its handlers stand in several lists'],
  ],
  [
    'no method is named',
    "for (const method of ['get', 'put']) app[method]('/a', native(() => 'new'), (req, res) => res.send('old'))",
    Array(2).fill('it is registered by a call that names no method, as app[method](…)'),
  ],
])('leaves a route where %s, and says so', (_what, call, left) => {
  const lists =
    "const old = [(req, res) => res.send('old')]\nconst two = [(req, res, next) => next(), ...old]\n"
  const text = `${head}${lists}${call}\n`
  expect(looked(text)).toMatchObject({ text, left })
})
