import type { Head } from "./envelope.ts";

/** The head of a question: whom it is for, whose it is, and under which number of theirs. */
export function questionHead(
  asking: Pick<Head, "op" | "server" | "key" | "revision" | "deadline">,
  { to, caller, call }: Pick<Head, "to" | "caller" | "call">,
): Head {
  const { op, server, key, revision } = asking;
  const deadline = Math.max(1, Math.ceil(asking.deadline));
  return { op, server, key, revision, to, caller, call, pieces: 0, deadline };
}

/** The head of an answer to a question, which it names. */
export function answerHead(op: string, question: Head & { from: string }): Head {
  const { server, key, revision, caller, call, deadline, from: to } = question;
  return { op, server, key, revision, to, caller, call, pieces: 0, deadline };
}

/** The head of what is told to all who want to hear it. */
export function newsHead(to: string, server: string, op = "news"): Head {
  const nobody = { caller: "", call: 0 };
  return { op, server, key: "", revision: 0, to, ...nobody, pieces: 0, deadline: 0 };
}

/** Under which the pieces of a question, or of its answer, are kept. */
export function nameOfCall({ caller, call }: Pick<Head, "caller" | "call">): string {
  return `${caller}:${call}`;
}
