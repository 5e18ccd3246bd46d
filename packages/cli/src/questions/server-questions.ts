// Questions of servers to the user (elicitation), and requests for an answer of a model (sampling):
// they wait here until a page has answered.

import { randomUUID } from "node:crypto";
import {
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequestParams,
  type ElicitResult,
  ProtocolError,
} from "@modelcontextprotocol/client";
import { readContent, readForm } from "./elicitation-form.ts";
import type { FormQuestion, LinkQuestion, Question, SampleQuestion } from "./question.ts";
import { readSample, writtenAnswer } from "./sampling-request.ts";

/** Which call a question belongs to. */
export interface AskOptions {
  /** Aborts when nobody waits for the answer anymore. */
  signal?: AbortSignal | undefined;
  conversation?: string | undefined;
}

/** The open questions. */
export interface Questions {
  readonly open: readonly Question[];
  /** Waits for the user. */
  ask(server: string, params: ElicitRequestParams, options?: AskOptions): Promise<ElicitResult>;
  /** Waits for the user, who writes the answer or lets the model do it. */
  sample(
    server: string,
    params: CreateMessageRequestParams,
    options?: AskOptions,
  ): Promise<CreateMessageResult>;
  /** Returns false if the question isn't open or the answer doesn't fit. */
  answer(id: string, action: unknown, content: unknown): boolean;
  /** Calls `listener` whenever the list changes. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** Lets a model answer. The server or view that asked gets the message of an error. */
export type Sampler = (
  params: CreateMessageRequestParams,
  signal: AbortSignal | undefined,
) => Promise<CreateMessageResult>;

interface Entry {
  question: Question;
  /** Returns false if the answer doesn't fit. */
  answer(action: unknown, content: unknown): boolean;
  withdraw(): void;
}

const LONGEST_MESSAGE = 4000;
const LONGEST_ANSWER = 200_000;
const LONGEST_ADDRESS = 8000;
const MOST_OPEN = 20;
// The specification's code for a user who doesn't want an answer to be made.
const REJECTED = -1;

/** Creates an empty list. Without `sampler`, only the user can answer in place of a model. */
export function createQuestions({ sampler }: { sampler?: Sampler | undefined } = {}): Questions {
  const open = new Map<string, Entry>();
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };

  /** Adds a question; `settle` gets its end. */
  const wait = <Result>(
    question: Question,
    signal: AbortSignal | undefined,
    {
      withdrawn,
      answer,
    }: {
      withdrawn(): Result | Promise<Result>;
      answer(
        action: unknown,
        content: unknown,
        end: (result: Result | Promise<Result>) => void,
      ): boolean;
    },
  ): Promise<Result> =>
    new Promise((resolve) => {
      const end = (result: Result | Promise<Result>): void => {
        signal?.removeEventListener("abort", withdraw);
        if (open.delete(question.id)) tell();
        resolve(result);
      };
      const withdraw = (): void => end(withdrawn());
      signal?.addEventListener("abort", withdraw);
      open.set(question.id, {
        question,
        withdraw,
        answer: (action, content) => answer(action, content, end),
      });
      tell();
    });

  return {
    get open() {
      return [...open.values()].map(({ question }) => question);
    },
    ask: async (server, params, { signal, conversation } = {}) => {
      const about = {
        id: randomUUID(),
        server,
        message: String(params.message).slice(0, LONGEST_MESSAGE),
        ...(conversation && { conversation }),
      };
      const question = readElicitation(about, params);
      // A form that can't be shown in full, or an address that isn't of the web: nobody could answer.
      if (!question || open.size >= MOST_OPEN || signal?.aborted) return { action: "cancel" };
      return wait<ElicitResult>(question, signal, {
        withdrawn: () => ({ action: "cancel" }),
        answer: (action, given, end) => {
          if (action === "decline" || action === "cancel") {
            end({ action });
            return true;
          }
          if (action !== "accept") return false;
          const content =
            question.kind === "form" ? readContent(question.fields, given) : undefined;
          if (question.kind === "form" && !content) return false;
          end({ action, ...(content && { content }) });
          return true;
        },
      });
    },
    sample: async (server, params, { signal, conversation } = {}) => {
      if (open.size >= MOST_OPEN)
        throw new ProtocolError(REJECTED, "Too many questions are waiting for the user.");
      signal?.throwIfAborted();
      const question: SampleQuestion = {
        kind: "sample",
        id: randomUUID(),
        server,
        message: "",
        ...readSample(params),
        hasModel: sampler !== undefined,
        ...(conversation && { conversation }),
      };
      const rejected = (): Promise<CreateMessageResult> =>
        Promise.reject(new ProtocolError(REJECTED, "The user declined to answer."));
      return wait<CreateMessageResult>(question, signal, {
        withdrawn: rejected,
        answer: (action, given, end) => {
          const { text } = Object(given) as { text?: unknown };
          if (action === "decline" || action === "cancel") end(rejected());
          else if (action === "model" && sampler) end(sampler(params, signal));
          else if (action === "accept" && isText(text)) end(writtenAnswer(text));
          else return false;
          return true;
        },
      });
    },
    answer: (id, action, given) => open.get(id)?.answer(action, given) ?? false,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      for (const { withdraw } of [...open.values()]) withdraw();
    },
  };
}

function readElicitation(
  about: Omit<FormQuestion, "kind" | "fields">,
  params: ElicitRequestParams,
): FormQuestion | LinkQuestion | undefined {
  if ("requestedSchema" in params) {
    const fields = readForm(params.requestedSchema);
    return fields && { kind: "form", ...about, fields };
  }
  const text = String(params.url);
  const url = text.length <= LONGEST_ADDRESS && URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  // A name before the host, as in https://bank.example@evil.example, looks like the host.
  if (!url || !isWeb || url.username !== "" || url.password !== "") return undefined;
  return { kind: "link", ...about, url: url.href };
}

function isText(text: unknown): text is string {
  return typeof text === "string" && text.length <= LONGEST_ANSWER;
}
