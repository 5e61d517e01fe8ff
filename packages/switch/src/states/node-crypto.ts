import type * as crypto from 'node:crypto'
import { builtin } from '../../../../src/ground/builtin.js'

/** Node's own `crypto`, loaded when it is first needed: that takes time, and a server that only moves routes does without. */
export const nodeCrypto = (): typeof crypto => builtin('node:crypto', 'the switch')
