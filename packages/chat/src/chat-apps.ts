// The page's half of a chat with apps, for any framework and agent library.

import { createHost, type Host, type HostedView, type HostOptions } from "@vitrine/host";
import { createRemoteServers, type RemoteServers } from "@vitrine/host/remote";
import type { CreateMessageRequest, CreateMessageResult, Tool } from "@vitrine/protocol/apps";
import {
  type ChatThread,
  createChatThread,
  type FoundTool,
  type OwnedThread,
} from "./chat-thread.ts";
import { modelToolName } from "./tool-name.ts";

type SampleParams = CreateMessageRequest["params"];

/** Options of `createChatApps`: those of a host, and where the product's server is. */
export interface ChatAppsOptions
  extends Omit<HostOptions, "onmessage" | "oncreatesamplingmessage"> {
  /** Address of `createAppsHandler` on your server. */
  url: string | URL;
  /** Headers for each request to your server. */
  headers?: () => Record<string, string> | Promise<Record<string, string>>;
  /**
   * Lets views use the model, with the user's consent: the address of `createSampleHandler` on your
   * server, or a function. Without it views can't.
   */
  sample?: string | URL | ((params: SampleParams) => Promise<CreateMessageResult>);
  /** Tools whose views start only when the user has approved the call; none by default. */
  needsApproval?: (tool: Tool) => boolean;
  /** Keeps a request open that reports changed tools; on by default. */
  followLists?: boolean;
}

/** The apps of a chat. */
export interface ChatApps {
  readonly host: Host;
  readonly servers: RemoteServers;
  /** Resolves when the tools with views are known. Views appear by themselves after that. */
  readonly ready: Promise<void>;
  /** The conversation with this id; the same object for the same id. */
  thread(id: string): ChatThread;
  /** The tool that a model calls by this name, if it has a view. */
  find(name: string): FoundTool | undefined;
  /** Calls `listener` when `find` may have other answers. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
  /** Closes every view. Idempotent. */
  close(): Promise<void>;
}

const RETRY = 5000;

/** Creates the apps of a page, once; also on a server that renders pages. */
export function createChatApps(options: ChatAppsOptions): ChatApps {
  const {
    url,
    headers,
    sample,
    needsApproval = () => false,
    followLists,
    ...hostOptions
  } = options;
  const threads = new Map<string, OwnedThread>();
  const listeners = new Set<() => void>();
  const servers = createRemoteServers({
    url,
    ...(headers && { headers }),
    ...(followLists !== undefined && { followLists }),
  });
  let known: ReadonlyMap<string, FoundTool> = new Map();
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const host = createHost({
    ...hostOptions,
    onmessage: async (params, view) =>
      (await ownerOf(view)?.onMessage(params)) ?? { isError: true },
    ...(sample && {
      oncreatesamplingmessage: (params) =>
        typeof sample === "function" ? sample(params) : askServer(sample, params, headers),
    }),
  });
  host.onEvent((event) => {
    if (event.type !== "tool-call" || event.outcome !== "rejected") return;
    servers.reportRefusal({ server: event.server, tool: event.tool }, event.name);
  });
  const ownerOf = (view: HostedView): OwnedThread | undefined =>
    [...threads.values()].find(({ conversation }) => conversation.views.get(view.key) === view);

  const load = async (): Promise<void> => {
    clearTimeout(retry);
    try {
      const catalogue = await servers.catalogue();
      known = new Map(
        catalogue.flatMap(({ server, tools }) =>
          tools.map((tool) => [modelToolName(server, tool.name), { server, tool }]),
        ),
      );
      for (const listener of [...listeners]) listener();
    } catch {
      // Without the catalogue the chat works and shows no views.
      if (!isClosed) retry = setTimeout(load, RETRY);
    }
  };
  // A server that renders the page shows no views, and must not ask itself.
  if (globalThis.document) servers.onChange(() => void load());
  const ready = globalThis.document ? load() : Promise.resolve();

  const find = (name: string): FoundTool | undefined => known.get(name);
  return {
    host,
    servers,
    ready,
    find,
    thread: (id) => {
      const open = threads.get(id);
      if (open) return open;
      const conversation = host.conversation(id);
      const thread = createChatThread({ conversation, servers, find, needsApproval });
      if (globalThis.document) threads.set(id, thread);
      return thread;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      servers.close();
      listeners.clear();
      await host.close();
    },
  };
}

async function askServer(
  url: string | URL,
  params: SampleParams,
  headers: ChatAppsOptions["headers"],
): Promise<CreateMessageResult> {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...(await headers?.()), "content-type": "application/json" },
    body: JSON.stringify(params),
    credentials: "same-origin",
  });
  if (!response.ok) throw new Error(`${url} responded with HTTP ${response.status}.`);
  return (await response.json()) as CreateMessageResult;
}
