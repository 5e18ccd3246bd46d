/**
 * One form for all keys that a parser without regard to case, Go's among them, takes for each other. Go folds
 * the long s and the Kelvin sign too, and NFKC has both.
 */
export function foldKey(key: string): string {
  return key.normalize("NFKC").toLowerCase();
}
