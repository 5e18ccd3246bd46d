/** A body between processes: some JSON, and a text that isn't parsed on the way. */
export interface Payload<Facts> {
  facts: Facts;
  text: string;
}

/** Writes JSON on the first line and the text after it, so that a large message isn't escaped once more. */
export function pack(facts: object | undefined, text = ""): string {
  return facts ? `${JSON.stringify(facts)}\n${text}` : `\n${text}`;
}

export function unpack<Facts>(body: string): Payload<Facts> {
  const end = body.indexOf("\n");
  const facts = (end === 0 ? {} : JSON.parse(body.slice(0, end))) as Facts;
  return { facts, text: body.slice(end + 1) };
}
