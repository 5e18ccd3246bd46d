/**
 * True if this JavaScript engine misreads escaped keys: after it parsed a key `argument\`, some versions of V8
 * read `"argument\u0073"` as that key too (nodejs/node issue 63785). The gateway is safe either way, because it
 * sends the value it checked. The result is for the operator, whose other programs may not be.
 */
export function hasEscapedKeyBug(): boolean {
  JSON.parse('{"self-test":0,"argument\\\\":1}');
  const parsed = JSON.parse('{"self-test":0,"argument\\u0073":1}') as object;
  return !Object.hasOwn(parsed, "arguments");
}
