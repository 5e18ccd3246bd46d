// One line is one record, in a terminal too: no control characters, other scripts or text direction marks
// (G143).

const NOT_ASCII = /[^\x20-\x7e]/g;

/** Converts JSON to printable ASCII with the same meaning. */
export function toAscii(json: string): string {
  return json.replace(
    NOT_ASCII,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
