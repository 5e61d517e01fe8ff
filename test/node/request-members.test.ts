import { IncomingMessage, ServerResponse } from 'node:http'
import { restoreClass } from '../../src/node/member-layer.js'
import { ownClasses, requestLayer } from '../../src/node/request-members.js'
import type { NodeClasses } from '../../src/ground/types.js'

const native: NodeClasses = { IncomingMessage, ServerResponse }
const requestOf = (classes: NodeClasses): IncomingMessage => new classes.IncomingMessage(null as never)

it('Our own requests have from their class what callbacks read, and our own responses are Node’s', () => {
  const classes = ownClasses(native, undefined)
  const req = requestOf(classes)
  expect([req instanceof IncomingMessage, requestLayer.isOn(req)]).toEqual([true, true])
  for (const name of [
    'query',
    'originalUrl',
    'rawBody',
    'realIp',
    'signal',
    'get',
    'text',
    'json',
    'formData',
  ]) {
    expect([name, name in req, Object.hasOwn(req, name)]).toEqual([name, true, false])
  }
  expect(classes.ServerResponse).toBe(ServerResponse)
  expect(ownClasses(native, undefined).IncomingMessage).toBe(classes.IncomingMessage)
})

it('Who wants more of the classes is given those that have the members, and its own count', () => {
  class More extends ServerResponse {}
  const classes = ownClasses(native, (given) => {
    expect(given).toEqual(ownClasses(native, undefined))
    return { ...given, ServerResponse: More as typeof ServerResponse }
  })
  expect(classes.ServerResponse).toBe(More)
  expect(requestLayer.isOn(requestOf(classes))).toBe(true)
})

it('A request that goes on to somebody else is one of Node’s again', () => {
  for (const req of [requestOf(ownClasses(native, undefined)), requestOf(native)]) {
    requestLayer.addTo(req)
    restoreClass(req)
    expect([requestLayer.isOn(req), Object.getPrototypeOf(req)]).toEqual([false, IncomingMessage.prototype])
  }
})
