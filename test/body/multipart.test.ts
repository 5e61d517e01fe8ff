import { defaultLimits } from '../../src/body/limits.js'
import { parseFormData } from '../../src/body/multipart.js'
import { refusal } from '../support/refusal.js'

const multipart = 'multipart/form-data; boundary=b'
const field = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const file = (name: string, content: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.txt"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`
const parse = (
  text: string,
  type = multipart,
  limits: Partial<typeof defaultLimits> = {},
): Promise<FormData> => parseFormData(new TextEncoder().encode(text), type, { ...defaultLimits, ...limits })

describe('parseFormData', () => {
  it('reads fields and files of a multipart body, in order', async () => {
    const form = await parse(field('a', 'é') + file('f', 'in it') + field('a', '2') + '--b--\r\n')
    expect([...form.keys()]).toEqual(['a', 'f', 'a'])
    expect(form.getAll('a')).toEqual(['é', '2'])
    const part = form.get('f') as File
    expect([part.name, part.type, await part.text()]).toEqual(['f.txt', 'text/plain', 'in it'])
  })

  it('reads an urlencoded body', async () => {
    const form = await parse('a=1&b=x+y&a=%C3%A9', 'application/x-www-form-urlencoded')
    expect([...form]).toEqual([
      ['a', '1'],
      ['b', 'x y'],
      ['a', 'é'],
    ])
  })

  it('counts fields and files each for themselves', async () => {
    const body = field('a', '1') + field('b', '2') + file('f', 'x') + '--b--\r\n'
    const keys = async (maxFormFields: number, maxFormFiles: number) => [
      ...(await parse(body, multipart, { maxFormFields, maxFormFiles })).keys(),
    ]
    expect(await keys(2, 1)).toEqual(['a', 'b', 'f'])
    await expect(keys(1, 1)).rejects.toMatchObject({
      code: 'ERR_BODY_TOO_LARGE',
      status: 413,
      message: 'The body has more than 1 fields',
    })
    await expect(keys(2, 0)).rejects.toMatchObject({
      code: 'ERR_BODY_TOO_LARGE',
      status: 413,
      message: 'The body has more than 0 files',
    })
  })

  it('has the limits of who has set none', async () => {
    const bytes = (count: number) => new TextEncoder().encode(field('a', '').repeat(count) + '--b--\r\n')
    expect([...(await parseFormData(bytes(1000), multipart))]).toHaveLength(1000)
    await expect(parseFormData(bytes(1001), multipart)).rejects.toMatchObject({ status: 413 })
  })

  it.each([
    ['no end', field('a', '1'), multipart],
    ['no boundary in the type', `${field('a', '1')}--b--\r\n`, 'multipart/form-data'],
    ['another boundary', `${field('a', '1')}--b--\r\n`, 'multipart/form-data; boundary=c'],
    ['no bytes', '', multipart],
    ['a type that is no form', 'a=1', 'text/plain'],
  ])('refuses with 400 what has %s', async (_what, text, type) => {
    await expect(parse(text, type)).rejects.toThrow(refusal('ERR_BODY_MALFORMED', 'not a valid form'))
    await expect(parse(text, type)).rejects.toMatchObject({
      status: 400,
      cause: expect.objectContaining({ message: expect.any(String) }),
    })
  })
})
