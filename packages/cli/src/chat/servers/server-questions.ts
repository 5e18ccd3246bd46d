// Questions of servers to the user (elicitation): they wait here until a page has answered.

import { randomUUID } from "node:crypto";
import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import type { Question } from "../page-state.ts";
import { readContent, readForm } from "./elicitation-form.ts";

/** The open questions. */
export interface Questions {
  readonly open: readonly Question[];
  /** Waits for the user. */
  ask(
    server: string,
    params: ElicitRequestParams,
    options?: { signal?: AbortSignal | undefined; conversation?: string | undefined },
  ): Promise<ElicitResult>;
  /** Returns false if the question isn't open or the answer doesn't fit. */
  answer(id: string, action: unknown, content: unknown): boolean;
  /** Calls `listener` whenever the list changes. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
  close(): void;
}

const LONGEST_MESSAGE = 4000;
const MOST_OPEN = 20;

/** Creates an empty list. */
export function createQuestions(): Questions {
  const open = new Map<string, { question: Question; end(result: ElicitResult): void }>();
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  return {
    get open() {
      return [...open.values()].map(({ question }) => question);
    },
    ask: (server, params, { signal, conversation } = {}) => {
      const fields = "requestedSchema" in params ? readForm(params.requestedSchema) : undefined;
      // An address to visit, or a form that can't be shown in full: nobody could answer it.
      if (!fields || open.size >= MOST_OPEN || signal?.aborted)
        return Promise.resolve({ action: "cancel" });
      const id = randomUUID();
      const message = String(params.message).slice(0, LONGEST_MESSAGE);
      const question = { id, server, message, fields, ...(conversation && { conversation }) };
      return new Promise((resolve) => {
        const end = (result: ElicitResult): void => {
          signal?.removeEventListener("abort", withdraw);
          if (open.delete(id)) tell();
          resolve(result);
        };
        const withdraw = (): void => end({ action: "cancel" });
        signal?.addEventListener("abort", withdraw);
        open.set(id, { question, end });
        tell();
      });
    },
    answer: (id, action, given) => {
      const asked = open.get(id);
      if (!asked) return false;
      if (action === "decline" || action === "cancel") {
        asked.end({ action });
        return true;
      }
      const content = readContent(asked.question.fields, given);
      if (action !== "accept" || !content) return false;
      asked.end({ action, content });
      return true;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      for (const { end } of [...open.values()]) end({ action: "cancel" });
    },
  };
}
