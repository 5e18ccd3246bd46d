import type { ModelRequest } from "./model-request.ts";

/** What the scripted model answers. A JSON file, or a module whose default export is this. */
export interface ModelScript {
  /** The name that `GET /v1/models` lists. The default is `scripted`. */
  model?: string;
  /** Milliseconds between two chunks of a stream, unless a part sets its own. The default is 0. */
  pace?: number;
  /** Characters in a chunk, unless a part sets its own. The default is 12. */
  chunk?: number;
  /** The first turn that fits a request answers it. */
  turns: ScriptedTurn[];
}

export interface ScriptedTurn {
  /** When the turn fits. Without it, the turn fits every request that ends with a message of the user. */
  when?: TurnCondition;
  /** How many requests this turn answers. After that, later turns get their chance. The default is all. */
  times?: number;
  /** The parts of the answer, in order. A module may compute them. */
  reply: ReplyPart[] | ((request: ModelRequest) => ReplyPart[]);
}

/** All the fields of a condition must fit. Patterns are regular expressions that ignore case. */
export interface TurnCondition {
  /** A pattern of the last message of the user. */
  user?: string;
  /**
   * The name of a tool. The turn fits requests that end with a result of this tool; turns without
   * `after` fit requests that end with a message of the user. `*` stands for any characters.
   */
  after?: string;
  /** A pattern of the text of the results that the request ends with. */
  result?: string;
  /** A pattern of the system prompt. */
  system?: string;
  /** The name of a tool that the request offers, with `*` for any characters. `false`: it offers none. */
  hasTool?: string | false;
}

/** One part of an answer. */
export type ReplyPart =
  /** Text. `{{user}}`, `{{result}}` and `{{system}}` stand for those parts of the request. */
  | { text: string; pace?: number; chunk?: number }
  /** A call of a tool. `*` in the name stands for any characters: the first offered tool that fits. */
  | { call: string; arguments?: Record<string, unknown>; pace?: number; chunk?: number }
  /** A pause, in milliseconds. */
  | { wait: number }
  /** An error of the endpoint instead of an answer. It must be the only part. */
  | { error: string; status?: number };

/** Whether `name` fits `pattern`, in which `*` stands for any characters. */
export function fitsName(pattern: string, name: string): boolean {
  const escaped = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`, "s").test(name);
}
