/**
 * Maps all keys that a case-insensitive parser, such as Go's, treats as equal to one form. Go also folds the
 * long s and the Kelvin sign, and so does NFKC.
 */
export function foldKey(key: string): string {
  return key.normalize("NFKC").toLowerCase();
}
