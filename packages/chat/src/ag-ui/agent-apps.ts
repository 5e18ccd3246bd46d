// Connects an agent of AG-UI with the views of its conversation.

import type { ChatApps } from "../chat-apps.ts";
import type { ChatThread, ViewProperties } from "../chat-thread.ts";
import { modelText } from "../server/model-result.ts";
import type { ToolPart } from "../tool-part.ts";
import type { AgUiAgent, AgUiSubscriber, AgUiToolCall } from "./agent.ts";
import { followInput } from "./run-parameters.ts";
import { RunRecord } from "./run-record.ts";
import {
  callsOf,
  isOpenedView,
  partOf,
  RESULT_EVENT,
  RESULT_KEY,
  type RunState,
  readInput,
  VIEW_EVENT,
} from "./tool-calls.ts";
import { WholeResults } from "./whole-results.ts";

/** Options of `connectAgent`. */
export interface AgentAppsOptions {
  /** The id of the conversation. The default is the agent's `threadId`. */
  id?: string;
  /**
   * Starts a run, if something else than `agent.runAgent()` does: with CopilotKit,
   * `() => copilotkit.runAgent({ agent })`.
   */
  run?: () => Promise<unknown>;
  /**
   * Accepts the HTML of views that the agent sends along with their calls (`open` of
   * `createAgentHandler`). Set it only if the agent runs on your own server: an agent could send any HTML
   * for any tool.
   */
  acceptViews?: boolean;
}

// How often one message of the user may lead to calls of app tools and another run.
const MOST_ROUNDS = 16;
const WAIT = 100;
const LONGEST_WAIT = 60_000;

/** Connects an agent with the views of its conversation. Call `close()` when the chat ends. */
export function connectAgent(
  apps: ChatApps,
  agent: AgUiAgent,
  options: AgentAppsOptions = {},
): AgentApps {
  const connection = new AgentApps(apps, agent, options);
  connection.connect();
  return connection;
}

/** The views of an agent's conversation. */
export class AgentApps {
  readonly agent: AgUiAgent;
  readonly thread: ChatThread;
  readonly #apps: ChatApps;
  readonly #run: () => Promise<unknown>;
  readonly #results = new WholeResults();
  readonly #record = new RunRecord();
  readonly #listeners = new Set<() => void>();
  readonly #acceptsViews: boolean;
  #disconnect: (() => void) | undefined;
  #stopping = new AbortController();
  #isAnswering = false;
  #error: string | undefined;
  #version = 0;

  constructor(apps: ChatApps, agent: AgUiAgent, options: AgentAppsOptions = {}) {
    this.#apps = apps;
    this.agent = agent;
    this.thread = apps.thread(options.id ?? agent.threadId);
    this.#run = options.run ?? (() => agent.runAgent());
    this.#acceptsViews = options.acceptViews ?? false;
    this.#results.read(this.agent.messages);
  }

  /** Follows the agent. `connectAgent` has done it; returns a function that undoes it. */
  connect(): () => void {
    if (!this.#disconnect) {
      const undo = [
        followInput(this.agent, this.thread),
        this.agent.subscribe(this.#subscriber()).unsubscribe,
        this.#apps.onChange(() => this.#change()),
        this.thread.connect({
          send: async (text) => {
            await this.#untilIdle();
            // The view gets its answer when the turn starts, not when it ends.
            void this.send(text).catch(() => undefined);
          },
        }),
      ];
      this.#disconnect = () => {
        for (const end of undo) end();
        this.#disconnect = undefined;
      };
    }
    return this.#disconnect;
  }

  /** Whether the agent runs, or an app tool between two runs. */
  get isRunning(): boolean {
    return this.#isAnswering || this.agent.isRunning;
  }

  /** A number that changes whenever `parts()` may have. */
  get version(): number {
    return this.#version;
  }

  /** The calls of the conversation, in order. */
  parts(): ToolPart[] {
    const run = this.#state();
    return [...callsOf(this.agent.messages)].map((entry) => partOf(entry, run));
  }

  /** The call with this id. */
  part(callId: string): ToolPart | undefined {
    for (const entry of callsOf(this.agent.messages))
      if (entry.call.id === callId) return partOf(entry, this.#state());
    return undefined;
  }

  /** The properties of a call's view, for `<McpApp>` or `<mcp-app>`; nothing if its tool has none. */
  view(callId: string): ViewProperties | undefined {
    const part = this.part(callId);
    return part && this.thread.view(part);
  }

  /** Adds a message of the user and runs the agent. Rejects if the agent fails. */
  async send(text: string): Promise<void> {
    this.agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
    await this.run();
  }

  /**
   * Runs the agent, answers its calls of app tools, and runs it again until it makes no more. Rejects if
   * the agent fails.
   */
  async run(): Promise<void> {
    this.#stopping = new AbortController();
    await this.#runRounds();
  }

  /** Stops the run, its calls, and the views of these calls. */
  stop(): void {
    this.#stopping.abort();
    this.agent.abortRun();
  }

  /** Calls `listener` whenever parts may have changed. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops the run and disconnects. Views stay until their conversation is closed. Idempotent. */
  close(): void {
    if (this.#disconnect) this.stop();
    this.#disconnect?.();
    this.#listeners.clear();
  }

  /** A view may send a message while the agent runs; it comes next. */
  async #untilIdle(): Promise<void> {
    for (let waited = 0; this.isRunning; waited += WAIT) {
      if (waited > LONGEST_WAIT) throw new Error("The agent is still running.");
      await new Promise((resolve) => setTimeout(resolve, WAIT));
    }
  }

  async #runRounds(): Promise<void> {
    const { signal } = this.#stopping;
    this.#isAnswering = true;
    try {
      for (let round = 0; round < MOST_ROUNDS; round++) {
        this.#error = undefined;
        await this.#run();
        if (this.#error !== undefined) throw new Error(this.#error);
        if (!(await this.#answerAppTools(signal))) return;
      }
    } finally {
      this.#isAnswering = false;
      this.#change();
    }
  }

  /** Answers the app tools of a run that something else started, such as CopilotKit's composer. */
  async #continueRun(): Promise<void> {
    const { signal } = this.#stopping;
    this.#isAnswering = true;
    try {
      while (this.agent.isRunning) await new Promise((resolve) => setTimeout(resolve));
      if (!(await this.#answerAppTools(signal))) return;
    } finally {
      this.#isAnswering = false;
      this.#change();
    }
    await this.#runRounds();
  }

  /** The calls of app tools of this run that have no answer yet. */
  #openAppCalls(): AgUiToolCall[] {
    return [...callsOf(this.agent.messages)].flatMap(({ call, answer }) =>
      !answer && this.#record.has(call.id) && this.thread.isAppTool(call.function.name)
        ? [call]
        : [],
    );
  }

  /** Answers the open calls of app tools. Returns whether the agent should run again. */
  async #answerAppTools(signal: AbortSignal): Promise<boolean> {
    const open = this.#openAppCalls();
    for (const { id: toolCallId, function: call } of open) {
      if (signal.aborted) return false;
      const result = await this.thread
        .callAppTool(call.name, readInput(call.arguments), { signal })
        .catch(() => undefined);
      if (signal.aborted || !result) return false;
      const content = modelText(result);
      const message = { id: crypto.randomUUID(), role: "tool", toolCallId, content };
      this.agent.addMessage(result.isError ? { ...message, error: content } : message);
    }
    return open.length > 0 && !signal.aborted;
  }

  #state(): RunState {
    return this.#record.state({ isRunning: this.isRunning, results: this.#results.byCall });
  }

  #change(): void {
    this.#version++;
    for (const listener of [...this.#listeners]) listener();
  }

  #subscriber(): AgUiSubscriber {
    return {
      onRunInitialized: () => {
        if (!this.#isAnswering) this.#stopping = new AbortController();
        this.#record.start();
        this.#change();
      },
      onToolCallStartEvent: ({ event }) => this.#record.startCall(event.toolCallId),
      onToolCallEndEvent: ({ event }) => {
        this.#record.endCall(event.toolCallId);
        this.#change();
      },
      onToolCallResultEvent: ({ event }) =>
        this.#results.keep(event.toolCallId, event.metadata?.[RESULT_KEY]),
      onCustomEvent: ({ event }) => {
        const value = Object(event.value) as { toolCallId?: unknown; result?: unknown };
        if (event.name === RESULT_EVENT && typeof value.toolCallId === "string")
          this.#results.keep(value.toolCallId, value.result);
        if (event.name === VIEW_EVENT && this.#acceptsViews && isOpenedView(event.value))
          this.#apps.servers.receive(event.value);
      },
      // An agent that is stopped reports it as a failure.
      onRunErrorEvent: ({ event }) =>
        event.code === "abort" ? this.#stopping.abort() : this.#fail(event.message),
      onRunFailed: ({ error }) =>
        error.name === "AbortError" ? this.#stopping.abort() : this.#fail(error.message),
      onRunFinalized: () => {
        this.#record.end();
        this.#results.store(this.agent);
        this.#change();
        if (!this.#isAnswering && this.#openAppCalls().length > 0)
          // Whatever started the run shows the errors of the next one.
          void this.#continueRun().catch(() => undefined);
      },
      onMessagesChanged: () => {
        this.#results.read(this.agent.messages);
        this.#change();
      },
    };
  }

  #fail(message: string): void {
    if (this.#stopping.signal.aborted) return;
    this.#error = message;
    this.#record.fail(message, this.agent.messages);
  }
}
