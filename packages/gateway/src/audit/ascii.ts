// One line is one record whatever it says, in a terminal too: no control, no other script, no direction (G143).

const NOT_ASCII = /[^\x20-\x7e]/;
const EACH_NOT_ASCII = /[^\x20-\x7e]/g;
// Needs no escape between quotation marks.
const VERBATIM = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** JSON in printable ASCII; it says the same. */
export function toAscii(json: string): string {
  if (!NOT_ASCII.test(json)) return json;
  return json.replace(
    EACH_NOT_ASCII,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A text as JSON in printable ASCII. */
export function quote(text: string): string {
  return VERBATIM.test(text) ? `"${text}"` : toAscii(JSON.stringify(text));
}
