import type { ModelRequest } from "./model-request.ts";
import type { ResolvedPart } from "./turn-choice.ts";

/** Writes answers in one of the wire formats. */
export interface WireWriter {
  /** The whole answer as the body of a response that isn't streamed. */
  body(parts: readonly ResolvedPart[]): unknown;
  /** The server-sent events around and for each part, as text. */
  start(): string;
  begin(part: Exclude<ResolvedPart, { kind: "wait" }>): string;
  chunk(text: string): string;
  end(): string;
  finish(): string;
}

/** What an answer needs besides its parts. */
export interface AnswerContext {
  request: ModelRequest;
  /** The beginning of the ids of this answer. Stored conversations have them for longer than a process lives. */
  id: string;
  /** Whether the client asked for the usage in the stream. */
  includeUsage: boolean;
  /** How much the request holds, in tokens. */
  inputTokens: number;
}

/** Nobody pays for these tokens: four characters count as one. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4);

export const tokensOfParts = (parts: readonly ResolvedPart[]): number =>
  parts.reduce((sum, part) => sum + (part.kind === "wait" ? 0 : tokensOf(part.chunks.join(""))), 0);
