// One conversation with a model: the views of its tool calls, and what they tell the chat.

import type { AppRequest, Conversation, ModelContextEntry, ToolData } from "@vitrine/host";
import type { RemoteServers } from "@vitrine/host/remote";
import type {
  CallToolResult,
  ContentBlock,
  McpUiMessageRequest,
  McpUiMessageResult,
  Tool,
} from "@vitrine/protocol/apps";
import { type ToolPart, toolDataOf } from "./tool-part.ts";
import type { AppToolDefinition, ViewTools } from "./view-tools.ts";

/** What a product's server needs from the page for a turn of the model. */
export interface Turn {
  context: ModelContextEntry[];
  appTools: AppToolDefinition[];
}

/** The properties of `<McpApp>` or `<mcp-app>` for a tool call. */
export interface ViewProperties extends ToolData {
  host: Conversation;
  app: AppRequest;
}

/** What a chat does for the views of a thread. */
export interface ThreadActions {
  /**
   * Sends a message in the user's name, which starts a turn of the model; the user has agreed. Throw if
   * the chat can't take it now.
   */
  send(text: string, content: readonly ContentBlock[]): void | Promise<void>;
}

/** One conversation. */
export interface ChatThread {
  readonly id: string;
  readonly conversation: Conversation;
  /** The properties of a tool call's view; nothing if the tool has no view. */
  view(part: ToolPart): ViewProperties | undefined;
  /** What goes to your server with each request to the model: `{ ...body, apps: await thread.turn() }`. */
  turn(): Promise<Turn>;
  /** Whether the page answers a call with this name, because a view offers the tool. */
  isAppTool(name: string): boolean;
  /** Calls a view's tool. Failures are results that the model can read. */
  callAppTool(
    name: string,
    input: unknown,
    options?: { signal?: AbortSignal },
  ): Promise<CallToolResult>;
  /** Connects the chat; returns a function that disconnects it. */
  connect(actions: ThreadActions): () => void;
}

/** A thread with the parts that `createChatApps` uses. */
export interface OwnedThread extends ChatThread {
  onMessage(params: McpUiMessageRequest["params"]): Promise<McpUiMessageResult>;
}

/** A tool of the catalogue. */
export interface FoundTool {
  server: string;
  tool: Tool;
}

/** The parts of a thread. */
export interface ThreadOptions {
  conversation: Conversation;
  servers: RemoteServers;
  find(name: string): FoundTool | undefined;
  needsApproval(tool: Tool): boolean;
}

const APP_TOOL = /^app_/;

/** Creates a thread. */
export function createChatThread(options: ThreadOptions): OwnedThread {
  const { conversation, servers, find, needsApproval } = options;
  let tools: Promise<ViewTools> | undefined;
  // With the first turn that has a view: most of it is the checks of what views offer.
  const loadTools = (): Promise<ViewTools> => {
    tools ??= import("./view-tools.ts").then(({ createViewTools }) =>
      createViewTools(conversation),
    );
    // The next turn tries again, after a network failure for example.
    tools.catch(() => {
      tools = undefined;
    });
    return tools;
  };
  const apps = new Map<string, AppRequest>();
  let actions: ThreadActions | undefined;

  /** The same object for the same call: a changed one would be another view. */
  const appOf = (key: string, { server, tool }: FoundTool): AppRequest => {
    const known = apps.get(key);
    if (known?.upstream.server === server && known.tool.name === tool.name) return known;
    const app = { key, tool, upstream: servers.upstream({ server, tool: tool.name }) };
    apps.set(key, app);
    return app;
  };

  return {
    id: conversation.id,
    conversation,
    view: (part) => {
      const found = find(part.name);
      if (!found) return undefined;
      const isEarly = part.state === "streaming" || part.state === "input";
      // The arguments are for the server once the user has approved the call, not before.
      if (isEarly && !part.isApproved && needsApproval(found.tool)) return undefined;
      return { host: conversation, app: appOf(part.callId, found), ...toolDataOf(part) };
    },
    turn: async () => {
      const hasViews = conversation.views.size > 0;
      const listing = hasViews ? loadTools().then((own) => own.list()) : Promise.resolve([]);
      const [appTools] = await Promise.all([listing, conversation.ready]);
      return { context: conversation.modelContext.snapshot(), appTools };
    },
    isAppTool: (name) => APP_TOOL.test(name),
    callAppTool: async (name, input, callOptions) =>
      (await loadTools()).call(name, Object(input) as Record<string, unknown>, callOptions),
    connect: (given) => {
      actions = given;
      return () => {
        if (actions === given) actions = undefined;
      };
    },
    onMessage: async ({ content }) => {
      const text = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
      if (!actions || text.length === 0) return { isError: true };
      try {
        await actions.send(text.join("\n\n"), content);
        return {};
      } catch {
        return { isError: true };
      }
    },
  };
}
