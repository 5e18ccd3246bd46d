import type { ModelRequest } from "./model-request.ts";
import { checkReply } from "./read-script.ts";
import {
  fitsName,
  type ModelScript,
  type ReplyPart,
  type ScriptedTurn,
  type TurnCondition,
} from "./script.ts";

/** A part of an answer with everything resolved: its tool, its text, its chunks. */
export type ResolvedPart =
  | { kind: "text"; chunks: string[]; pace: number }
  | { kind: "call"; name: string; chunks: string[]; pace: number }
  | { kind: "wait"; milliseconds: number };

export type Answer =
  | { turn: number; parts: ResolvedPart[] }
  | { turn: number | undefined; error: string; status: number };

/** Patterns are tested on the beginning of a text, so that a slow pattern and a long text can't block the process. */
const TESTED = 65_536;

const fitsPattern = (pattern: string | undefined, text: string) =>
  pattern === undefined || new RegExp(pattern, "i").test(text.slice(0, TESTED));

function fits(when: TurnCondition, request: ModelRequest): boolean {
  const { user, after, result, system, hasTool } = when;
  if (
    after === undefined
      ? request.after.length > 0
      : !request.after.some((name) => fitsName(after, name))
  )
    return false;
  if (hasTool === false && request.tools.length > 0) return false;
  if (typeof hasTool === "string" && !request.tools.some((name) => fitsName(hasTool, name)))
    return false;
  return (
    fitsPattern(user, request.user) &&
    fitsPattern(result, request.result) &&
    fitsPattern(system, request.system)
  );
}

/** Chooses the turns of one script, and counts those that answer only some requests. */
export class TurnChoice {
  readonly #script: ModelScript;
  readonly #uses = new Map<ScriptedTurn, number>();

  constructor(script: ModelScript) {
    this.#script = script;
  }

  answer(request: ModelRequest): Answer {
    const { turns } = this.#script;
    const index = turns.findIndex(
      (turn) =>
        (this.#uses.get(turn) ?? 0) < (turn.times ?? Infinity) && fits(turn.when ?? {}, request),
    );
    const turn = turns[index];
    if (!turn) return { turn: undefined, status: 400, error: unmatched(request) };
    this.#uses.set(turn, (this.#uses.get(turn) ?? 0) + 1);
    const reply = typeof turn.reply === "function" ? turn.reply(request) : turn.reply;
    checkReply(reply, `turns[${index}].reply`);
    const [first] = reply;
    if (first && "error" in first)
      return { turn: index, error: first.error, status: first.status ?? 500 };
    return { turn: index, parts: reply.map((part) => this.#resolve(part, request)) };
  }

  #resolve(part: ReplyPart, request: ModelRequest): ResolvedPart {
    if ("wait" in part) return { kind: "wait", milliseconds: part.wait };
    if ("error" in part) throw new Error("An error must be the only part of a reply.");
    const pace = part.pace ?? this.#script.pace ?? 0;
    const size = part.chunk ?? this.#script.chunk ?? 12;
    if ("text" in part)
      return { kind: "text", chunks: split(fill(part.text, request), size), pace };
    const { call } = part;
    // A name that isn't offered is sent as it is: models make such mistakes too.
    const name = request.tools.find((tool) => fitsName(call, tool)) ?? call;
    return { kind: "call", name, chunks: split(JSON.stringify(part.arguments ?? {}), size), pace };
  }
}

function fill(text: string, request: ModelRequest): string {
  return text.replace(
    /\{\{(user|result|system)\}\}/g,
    (_, name: "user" | "result" | "system") => request[name],
  );
}

/** Splits by code points, so that no chunk ends inside a character. */
function split(text: string, size: number): string[] {
  const points = [...text];
  const chunks: string[] = [];
  for (let start = 0; start < points.length; start += size)
    chunks.push(points.slice(start, start + size).join(""));
  return chunks;
}

function unmatched({ user, after, tools }: ModelRequest): string {
  const end =
    after.length > 0
      ? `a result of ${after.join(", ")}`
      : `the message ${JSON.stringify(user.slice(0, 120))}`;
  return (
    `No turn of the script fits a request that ends with ${end} and offers ${tools.length} tools` +
    `${tools.length > 0 ? ` (${tools.slice(0, 20).join(", ")})` : ""}. Add a turn whose "when" fits it.`
  );
}
