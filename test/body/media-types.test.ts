import { ByMediaType, isMediaRange } from '../../src/body/media-types.js'

describe('ByMediaType', () => {
  const ranges = ['*/*', 'text/*', '*/*+xml', 'application/*+xml', 'application/soap+xml', '*/xml']
  const byType = new ByMediaType(ranges.map((range) => [range, range]))

  it.each([
    ['application/soap+xml', 'application/soap+xml'],
    ['application/atom+xml', 'application/*+xml'],
    ['image/svg+xml', '*/*+xml'],
    ['text/x+xml', '*/*+xml'],
    ['text/xml', '*/xml'],
    ['text/plain', 'text/*'],
    ['image/png', '*/*'],
    ['', undefined],
  ])('finds for %p the narrowest: %p', (essence, range) => {
    expect(byType.get(essence)).toBe(range)
  })

  it('finds nothing for another type', () => {
    const text = new ByMediaType([['text/*', 1]])
    expect([text.get('text/a'), text.get('texts/a'), text.get('constructor')]).toEqual([
      1,
      undefined,
      undefined,
    ])
  })

  it.each([
    ['application/xml', true],
    ['application/vnd.api+json', true],
    ['application/*+xml', true],
    ['text/*', true],
    ['*/*', true],
    ['xml', false],
    ['application/', false],
    ['/xml', false],
    ['application/xml; charset=utf-8', false],
    ['application/x*', false],
    ['app*/xml', false],
    ['application/*+', false],
    ['a/b/c', false],
    [' a/b', false],
  ])('%p is a media type: %p', (text, expected) => {
    expect(isMediaRange(text)).toBe(expected)
  })
})
