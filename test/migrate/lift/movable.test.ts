// Which statements between the routes of a router may stand before all of them.
import { bindingsIn } from '../../../packages/cli/src/edit/imports.js'
import { argumentsOf, readText } from '../../../packages/cli/src/edit/source-file.js'
import { othersBetween } from '../../../packages/cli/src/lift/movable.js'
import type { Node } from '../../../packages/cli/src/syntax/parser.js'

const head = `import { z } from 'zod'
import express from 'express'
import { helper } from './helper.js'
import { Symbol } from './symbols.js'
const roles = ['admin']
const only = (...some) => (req, res, next) => next()
const allow = (role) => roles.push(role)
`

/** Whether a statement may stand before a route with a guard. */
function isMovable(statement: string, guard: string, behind = 'helper'): boolean {
  const source = readText(
    '/routes.ts',
    `${head}router.get('/a', ${guard}, show)\n${statement}\nrouter.get('/b', ${behind}, show)\n`,
  )
  if (typeof source === 'string') throw new Error(source)
  const calls = (source.program['body'] as readonly Node[])
    .filter(({ type }) => type === 'ExpressionStatement')
    .map((one) => ({ statement: one, call: one['expression'] as Node }))
    .filter(({ call }) => ((call['callee'] as Node)['object'] as Node | undefined)?.['name'] === 'router')
    .map((one) => ({ ...one, guards: argumentsOf(one.call).slice(1, -1) }))
  const found = othersBetween(source, bindingsIn(source), calls)
  if ('reason' in found) expect(found.at?.line).toBe(9)
  return !('reason' in found)
}

it.each([
  "const count = allow('user')",
  'const one = roles.push(1), other = 1',
  'const { length } = Object.assign(roles, [])',
  "const made = helper('user')",
  "const loaded = require('./loaded')",
  'const schema = z.array(z.any()).default(roles)',
  'class Open { static on = allow() }',
  'class Open { static { allow() } }',
  'class Open extends made() {}',
  'class Open { [allow()] = 1 }',
  'const text = tag`user`',
  'enum Size { Small = allow() }',
  'export const count = allow()',
  'const made = new Allow()',
  'const made = z.array(z.any()).transform(allow)',
  'const made = z.custom(() => allow())',
  'const made = z.array(z.any()).transform(helper)',
  "const path = require('node:path').join(roles)",
  "const count = require('./roles').allow('user')",
  "const count = require('./roles')('user')",
  // Of the file, and no builtin.
  "const known = Symbol('user')",
  'const chosen = z?.[allow()]',
  'var roles = []',
])('not what may change a guard that is made before it: %s', (statement) => {
  expect(isMovable(statement, 'only(...roles)')).toBe(false)
  expect(isMovable(statement, 'only')).toBe(true)
})

it.each([
  'class Open { static on = (roles.length = 0) }',
  'const count = roles.length++',
  'const isGone = delete roles[0]',
  'const text = await import("./text.js")',
  'const text = import("./text.js")',
  'const text = await loaded',
  'const { text } = await roles',
  'class Open { static on = await loaded }',
  'var { only } = other',
])('never what writes while it declares: %s', (statement) => {
  for (const guard of ['only(...roles)', 'only']) expect(isMovable(statement, guard)).toBe(false)
})

it.each([
  'function show() { allow() }',
  "import { other } from './other.js'",
  'interface Tea { name: string }',
  'type Tea = typeof roles',
  'const limit = 100, name = `a ${limit}`',
  'const list = (req, res) => allow()',
  'const all = { list() { allow() }, roles }',
  'class Teas { all = allow(); list() { roles.length = 0 } }',
  'const schema = z.object({ name: z.string().min(1) }).strict()',
  'const parser = express.json()',
  "const path = require('node:path')",
  'const known = new Set(["a"]), many = Number(process.env.MANY)',
  'var later = 1',
  ';',
])('what declares names alone: %s', (statement) => {
  expect(isMovable(statement, 'only(...roles)')).toBe(true)
})

it('asks of no route that stands behind it', () => {
  const count = "const count = allow('user')"
  expect(isMovable(count, 'only', 'only(...roles)')).toBe(true)
  expect(isMovable('var only = other', 'helper', 'only')).toBe(true)
})

it('asks of all routes before it, also of what a guard of one calls within a guard', () => {
  expect(isMovable("const count = allow('user')", 'helper, all(only(...roles))')).toBe(false)
  expect(isMovable("const count = allow('user')", '(req, res, next) => only(...roles)(req, res, next)')).toBe(
    true,
  )
})
