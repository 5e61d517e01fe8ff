import { isRouteControllersError } from '../../src/ground/errors.js'
import { decodeParams } from '../../src/routing/params.js'

describe('decodeParams', () => {
  it('gives the values their names', () => {
    expect({ ...decodeParams(['a', '*'], ['1', 'x/y']) }).toEqual({ a: '1', '*': 'x/y' })
    expect(Object.keys(decodeParams([], []))).toEqual([])
  })

  it('decodes once', () => {
    expect(decodeParams(['a', 'b', 'c'], ['a%2Fb', '%2525', 'caf%C3%A9+'])).toMatchObject({
      a: 'a/b',
      b: '%25',
      c: 'café+',
    })
  })

  it.each(['%', '%2', '%zz', 'a%', '%ff', '%C3', '%ED%A0%80'])(
    'refuses the malformed escape in %s with 400',
    (value) => {
      const decode = () => decodeParams(['a', 'b'], ['fine', value])
      expect(decode).toThrow(`Failed to decode param '${value}'`)
      try {
        decode()
      } catch (error) {
        expect(isRouteControllersError(error)).toBe(true)
        expect(error).toMatchObject({
          code: 'ERR_PARAM_MALFORMED',
          status: 400,
          expose: true,
          cause: expect.any(URIError),
        })
      }
    },
  )

  it('has no members but the params, and shares nothing that can be written', () => {
    const params = decodeParams(['id'], ['7'])
    expect(params.constructor).toBeUndefined()
    expect('toString' in params).toBe(false)
    expect('__proto__' in params).toBe(false)

    const prototype = Object.getPrototypeOf(params) as object
    expect(Object.isFrozen(prototype)).toBe(true)
    expect(Object.getPrototypeOf(prototype)).toBeNull()
  })

  it('can be added to by those who hold it', () => {
    const params = decodeParams(['id'], ['7'])
    params.extra = 'x'
    expect(JSON.stringify(params)).toBe('{"id":"7","extra":"x"}')
  })
})
