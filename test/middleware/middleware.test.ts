import { once } from 'node:events'
import { content } from './cases-content.js'
import { requests, upstream } from './cases-requests.js'
import { security } from './cases-security.js'
import { state } from './cases-state.js'
import { compareWithExpress, differences, differencesSeen } from './compare.js'

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
})

afterAll(async () => {
  upstream.closeAllConnections()
  upstream.close()
  await once(upstream, 'close')
})

for (const one of [...security, ...state, ...content, ...requests]) compareWithExpress(one)

it('differs from Express in nothing that the list does not name, and the list has nothing more', () => {
  expect(differencesSeen()).toEqual(differences.map(({ what }) => what))
})
