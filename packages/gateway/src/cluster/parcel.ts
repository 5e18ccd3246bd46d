/** What goes over the bus: some facts, and a text that is not read on the way. */
export interface Parcel<Facts> {
  facts: Facts;
  text: string;
  /** Of the text. */
  bytes: number;
}

/**
 * Facts on one line, the text after it: a message of a megabyte is not written into JSON once more. Where there
 * are no facts, as in most answers, the line is empty.
 */
export function pack(facts: object | undefined, text = ""): Uint8Array {
  return Buffer.from(facts ? `${JSON.stringify(facts)}\n${text}` : `\n${text}`);
}

export function unpack<Facts>(bytes: Uint8Array): Parcel<Facts> {
  const whole = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = whole.indexOf(10);
  return {
    facts: (end === 0 ? {} : JSON.parse(whole.toString("utf8", 0, end))) as Facts,
    text: whole.toString("utf8", end + 1),
    bytes: whole.length - end - 1,
  };
}
