/** What goes over the bus: some facts, and a text that is not read on the way. */
export interface Parcel<Facts> {
  facts: Facts;
  text: string;
}

/**
 * Facts on one line, the text after it: a message of a megabyte is not written into JSON once more. Where there
 * are no facts, as in most answers, the line is empty.
 */
export function pack(facts: object | undefined, text = ""): string {
  return facts ? `${JSON.stringify(facts)}\n${text}` : `\n${text}`;
}

export function unpack<Facts>(body: string): Parcel<Facts> {
  const end = body.indexOf("\n");
  const facts = (end === 0 ? {} : JSON.parse(body.slice(0, end))) as Facts;
  return { facts, text: body.slice(end + 1) };
}
