/** A copy of its own; `slice` of a Node.js Buffer would be the same memory. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
