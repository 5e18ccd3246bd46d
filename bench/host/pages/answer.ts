import { rollDice } from "../../view/pages/host-session.ts";

/** A tool result, as far as the bench makes them. */
export interface Answer {
  content: Array<{ type: "text"; text: string }>;
  structuredContent?: Record<string, unknown>;
  [key: string]: unknown;
}

/** What a View gets first whose tool has not run: the sign that it is there. */
export const FIRST_PARTIAL = { text: "" };

let current: Answer = rollDice();

/** What every stack answers `tools/call` with at the moment. */
export function currentAnswer(): Answer {
  return current;
}

/** Answers with a table of that many bytes as JSON until the undo is called. */
export function answerWithTable(bytes: number): () => void {
  const row = (id: number): object => ({
    id,
    name: `Customer ${id}`,
    city: "Lisbon",
    amount: id * 1.25,
    paid: id % 3 === 0,
    tags: ["new", "retail"],
    note: "Delivered to the reception, signed for.",
  });
  const length = Math.ceil(bytes / JSON.stringify(row(1_000)).length);
  const rows = Array.from({ length }, (_, index) => row(index));
  current = { content: [{ type: "text", text: `${length} rows` }], structuredContent: { rows } };
  return () => {
    current = rollDice();
  };
}
