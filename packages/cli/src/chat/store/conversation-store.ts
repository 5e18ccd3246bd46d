import type { UIMessage } from "ai";

/** A conversation in the list. */
export interface ConversationSummary {
  id: string;
  title: string;
  /** When it last changed, in milliseconds. */
  updated: number;
}

/** A conversation with everything that a page needs to show it again. */
export interface StoredConversation extends ConversationSummary {
  messages: UIMessage[];
  /** The records of its views, by their key. */
  records: Record<string, unknown>;
}

/** A tool that the model may call without a question. */
export interface ToolGrant {
  server: string;
  tool: string;
  /** SHA-256 of the definition: a tool that changes is asked about again. */
  definition: string;
  /** A conversation's id, or `undefined` for all conversations. */
  conversation?: string | undefined;
}

/** Keeps conversations. All methods are synchronous: the database is a local file. */
export interface ConversationStore {
  /** The newest first. */
  list(): ConversationSummary[];
  has(id: string): boolean;
  read(id: string): StoredConversation | undefined;
  /** Creates or replaces the messages. The title of a new conversation is its first message. */
  save(id: string, messages: readonly UIMessage[]): void;
  /** Returns false if there is no such conversation. */
  rename(id: string, title: string): boolean;
  /** Deletes a conversation with its records and grants. */
  delete(id: string): boolean;
  /** Stores the record of a view, or deletes it. */
  setRecord(id: string, key: string, record: unknown): void;
  /** The answers that the host remembers, by its own keys. */
  answers(): Record<string, boolean>;
  setAnswer(key: string, allow: boolean | undefined): void;
  grants(): ToolGrant[];
  hasGrant(grant: ToolGrant): boolean;
  setGrant(grant: ToolGrant, isAllowed: boolean): void;
  close(): void;
}
