// An agent of AG-UI on the product's server: a Fetch handler over the AI SDK's `streamText`.

import type { AppsClients, OpenedView, ViewTool } from "@vitrine/host/remote";
import { RequestRejection, readJsonBody } from "@vitrine/host/remote";
import { isStepCount, type LanguageModel, streamText } from "ai";
import { prepareTurn } from "../ai-sdk/prepare-turn.ts";
import type { ModelTool } from "../server/model-tools.ts";
import { type AgUiEvent, RunEvents } from "./run-events.ts";
import { pageTools, type RunInput, readRunInput, toTurn, toUiMessages } from "./run-input.ts";
import { VIEW_EVENT } from "./tool-calls.ts";

/** Options of `createAgentHandler`. */
export interface AgentHandlerOptions<User> {
  model: LanguageModel | ((user: User) => LanguageModel);
  /** The connections by your names for their servers, the same for all users or those of one. */
  clients: AppsClients | ((user: User) => AppsClients | Promise<AppsClients>);
  /** Identifies the user. Return nothing to reject the request, or your own response. */
  authorize(request: Request): User | Response | undefined | Promise<User | Response | undefined>;
  /** The system prompt. */
  instructions?: string;
  /** How often the model may call tools and go on in one run; 16. */
  maxSteps?: number;
  /** Sends the HTML of a view with its call: `(view, user) => handler.open(user, view)`. */
  open?(view: ViewTool, user: User): Promise<OpenedView>;
  /** Called for a server that doesn't respond, and with the errors of the model. */
  onError?(error: unknown): void;
  /** The text for the user about an error; it must not have secrets. "The agent failed." by default. */
  describeError?(error: unknown): string;
}

const LONGEST = 8 * 1024 * 1024;

/** Answers the runs of `HttpAgent` and of CopilotKit. */
export function createAgentHandler<User>(
  options: AgentHandlerOptions<User>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const user = await options.authorize(request);
    if (user instanceof Response) return user;
    try {
      if (user === undefined) throw new RequestRejection(401, "Log in first.");
      const input = readRunInput(await readJsonBody(request, LONGEST));
      return respond(runAgent(input, { options, user, signal: request.signal }));
    } catch (error) {
      if (error instanceof RequestRejection) return error.toResponse();
      throw error;
    }
  };
}

interface Run<User> {
  options: AgentHandlerOptions<User>;
  user: User;
  signal: AbortSignal;
}

type RunStream = (send: (event: AgUiEvent) => void, signal: AbortSignal) => Promise<void>;

function runAgent<User>(input: RunInput, { options, user, signal }: Run<User>): RunStream {
  return async (send, cancelled) => {
    const { threadId, runId } = input;
    const describe = options.describeError ?? (() => "The agent failed.");
    const events = new RunEvents({ threadId, runId }, describe);
    const sendAll = (list: AgUiEvent[]): void => {
      for (const event of list) send(event);
    };
    sendAll(events.start());
    try {
      const { model, clients, instructions, maxSteps = 16, onError } = options;
      const turn = await prepareTurn({
        clients: typeof clients === "function" ? await clients(user) : clients,
        body: { messages: toUiMessages(input.messages), apps: toTurn(input) },
        onError: (_, error) => onError?.(error),
      });
      const tools = { ...turn.tools, ...pageTools(input, turn.tools) };
      const views = viewSender(turn.modelTools, { options, user, send });
      const result = streamText({
        model: typeof model === "function" ? model(user) : model,
        messages: turn.messages,
        tools,
        ...(instructions !== undefined && { instructions }),
        stopWhen: isStepCount(maxSteps),
        abortSignal: AbortSignal.any([signal, cancelled]),
        onError: ({ error }) => onError?.(error),
      });
      for await (const part of result.stream) {
        sendAll(events.part(part));
        if (part.type === "tool-input-start") views.start(part.toolName);
      }
      await views.done();
      sendAll(events.finish());
    } catch (error) {
      options.onError?.(error);
      sendAll(events.fail(error));
    }
  };
}

/** Sends the HTML of a view as soon as the model begins to call its tool. */
function viewSender<User>(
  modelTools: ReadonlyMap<string, ModelTool>,
  { options, user, send }: Omit<Run<User>, "signal"> & { send: (event: AgUiEvent) => void },
): { start(toolName: string): void; done(): Promise<void> } {
  const opened = new Map<string, Promise<void>>();
  return {
    start: (toolName) => {
      const found = modelTools.get(toolName);
      if (!options.open || !found?.tool._meta || opened.has(toolName)) return;
      const work = options
        .open({ server: found.server, tool: found.tool.name }, user)
        .then((value) => send({ type: "CUSTOM", name: VIEW_EVENT, value }))
        // If it can't be opened, the page asks for it and shows why.
        .catch(() => undefined);
      opened.set(toolName, work);
    },
    done: async () => {
      await Promise.all(opened.values());
    },
  };
}

function respond(run: RunStream): Response {
  const encoder = new TextEncoder();
  const cancelled = new AbortController();
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (event: AgUiEvent): void => {
        if (!cancelled.signal.aborted)
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      };
      void run(send, cancelled.signal).then(() => {
        if (!cancelled.signal.aborted) controller.close();
      });
    },
    cancel: () => cancelled.abort(),
  });
  return new Response(stream, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}
