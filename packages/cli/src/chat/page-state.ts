// What the chat's process tells its page. Both ends import this file, so it has only types.

import type { Question } from "../questions/question.ts";
import type {
  ConversationSummary,
  StoredConversation,
  ToolGrant,
} from "./store/conversation-store.ts";

export type { ConversationSummary, Question, StoredConversation, ToolGrant };

/** A server as the page shows it. */
export interface ServerState {
  name: string;
  status: "starting" | "ready" | "failed" | "login";
  /** Why it isn't ready. */
  reason?: string;
}

/** What a page shows about a tool, by the name that the model uses. */
export interface ToolFacts {
  server: string;
  tool: string;
  title: string;
  /** The tool may delete or overwrite something, as far as it declares. */
  isDestructive: boolean;
}

/** The metadata of an answer. */
export interface AnswerMetadata {
  /** How long each call took, in milliseconds, by its id. */
  times?: Record<string, number>;
  /** When it began. */
  at?: number;
  /** The user stopped it. */
  isStopped?: boolean;
}

/** Sent once, when a page opens. */
export interface Welcome {
  /** The name of the model. */
  model: string;
  /** The entrance of the sandbox. */
  sandbox: string;
  conversations: ConversationSummary[];
  /** The answers that the user gave to views. */
  answers: Record<string, boolean>;
}

/** Sent whenever it changes. */
export interface LiveState {
  servers: readonly ServerState[];
  questions: readonly Question[];
  /** The tools that the model can call, by its names for them. */
  tools: Record<string, ToolFacts>;
}

/** How long a tool may be called without a question. */
export type GrantScope = "conversation" | "always";
