// The parts of AG-UI that we use, by their shape: `AbstractAgent` and `HttpAgent` of @ag-ui/client 1.0
// fit, and so do those that CopilotKit has in its own older copy.

export interface AgUiToolCall {
  id: string;
  function: { name: string; arguments: string };
}

/** A message of a conversation. Only the fields we use; agents send more roles and fields. */
export interface AgUiMessage {
  id: string;
  role: string;
  content?: unknown;
  toolCalls?: AgUiToolCall[];
  toolCallId?: string;
  error?: string;
  metadata?: Record<string, unknown>;
}

/** A tool that the page offers to the agent for a run. */
export interface AgUiTool {
  name: string;
  description: string;
  parameters?: unknown;
}

/** What the page tells the agent for a run, besides the conversation. */
export interface AgUiContext {
  description: string;
  value: string;
}

interface Seen {
  messages: readonly AgUiMessage[];
}

/** The events that we follow. */
export interface AgUiSubscriber {
  onRunInitialized?(params: unknown): void;
  onRunFailed?(params: { error: Error }): void;
  onRunFinalized?(params: unknown): void;
  onRunFinishedEvent?(params: { event: object; outcome?: string }): void;
  onRunErrorEvent?(params: { event: { message: string; code?: string | undefined } }): void;
  onToolCallStartEvent?(params: { event: { toolCallId: string } }): void;
  onToolCallEndEvent?(params: { event: { toolCallId: string } }): void;
  onToolCallResultEvent?(params: {
    event: { toolCallId: string; metadata?: Record<string, unknown> | undefined };
  }): void;
  onCustomEvent?(params: { event: { name: string; value?: unknown } }): void;
  onMessagesChanged?(params: Seen): void;
}

/** An agent of AG-UI. */
export interface AgUiAgent {
  threadId: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages of another copy of AG-UI have other types.
  messages: any[];
  isRunning: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: subscribers of another copy of AG-UI have other types.
  subscribe(subscriber: any): { unsubscribe(): void };
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  addMessage(message: any): void;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  setMessages(messages: any[]): void;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  runAgent(parameters?: any, subscriber?: any): Promise<unknown>;
  abortRun(): void;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  use(...middlewares: any[]): unknown;
}
