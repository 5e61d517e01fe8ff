/** What a function throws; fails where it throws nothing. */
export function thrownBy(call: () => unknown): Error & { code?: string } {
  try {
    call()
  } catch (error) {
    return error as Error
  }
  throw new Error('Nothing was thrown')
}
