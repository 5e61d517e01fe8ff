// How large a page of `brief` may be.

/** More than a reader has at once. */
export const mostTokens = 8000

/** Three bytes are one token: those who count have more bytes in each, of code and of text alike. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3)
}
