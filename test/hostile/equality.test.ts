import { createRandom } from '../hard/random.js'
import { times } from '../support/counts.js'
import { closeAll } from '../support/describe-servings.js'
import { createAsked, createComparison } from './equality.js'

it('answers random requests alike in all ways of serving', async () => {
  const { compare, close } = await createComparison()
  try {
    for (let at = 0; at < times(2, 24); at++) {
      const many = Array.from({ length: 25 }, (_, within) => {
        const random = createRandom(20_261_121 + 25 * at + within)
        return compare(createAsked(random), random)
      })
      expect((await Promise.all(many)).flat()).toEqual([])
    }
  } finally {
    close()
    await closeAll()
  }
})

it('answers a declared body of no bytes as one that is not there, whatever its coding', async () => {
  const { compare, close } = await createComparison()
  const headers: [string, string][] = [
    ['content-encoding', 'gzip'],
    ['content-type', 'application/json'],
  ]
  try {
    for (const body of [Buffer.alloc(0), undefined]) {
      const asked = { method: 'POST', target: '/echo', headers, body, chunked: false }
      expect(await compare(asked, () => 0)).toEqual([])
    }
  } finally {
    close()
    await closeAll()
  }
})
