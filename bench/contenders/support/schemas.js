/** The schema of the body that is posted, written for each library. Loaded when it is asked for: only one is measured at a time. */
const makers = {
  zod: async () => {
    const { z } = await import('zod')
    return z.object({ name: z.string(), price: z.number(), tags: z.array(z.string()) })
  },
  valibot: async () => {
    const v = await import('valibot')
    return v.object({ name: v.string(), price: v.number(), tags: v.array(v.string()) })
  },
  arktype: async () => {
    const { type } = await import('arktype')
    return type({ name: 'string', price: 'number', tags: 'string[]' })
  },
}

/** @param {'zod' | 'valibot' | 'arktype'} library */
export function createBodySchema(library) {
  return makers[library]()
}
