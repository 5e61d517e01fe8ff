/** True for a Uint8Array of any realm, and so for a Buffer. With jsdom the global Uint8Array is another class than that of Node's own bytes. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === 'Uint8Array'
}
