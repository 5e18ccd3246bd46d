// The tools that the views of one conversation offer to the model.

import type { AppTools, Conversation } from "@vitrine/host";
import { createAppTools } from "@vitrine/host/app-tools";
import type { CallToolResult, Tool } from "@vitrine/protocol/apps";

/** A view's tool, as a model's API takes it. */
export interface AppToolDefinition {
  name: string;
  description?: string | undefined;
  inputSchema: Tool["inputSchema"];
}

/** The tools of a conversation's views. */
export interface ViewTools {
  /** The tools of the views that are in the page now. */
  list(): Promise<AppToolDefinition[]>;
  call(
    name: string,
    args: Record<string, unknown>,
    options?: { signal?: AbortSignal },
  ): Promise<CallToolResult>;
}

// A view that doesn't answer must not hold up the user's message.
const PATIENCE = 2000;
const GONE = "The app that offered this tool isn't in the conversation any more.";

type Bridge = Parameters<typeof createAppTools>[0];

/** Collects the tools of a conversation's views. */
export function createViewTools(conversation: Conversation): ViewTools {
  const known = new Map<Bridge, AppTools>();
  let owners = new Map<string, AppTools>();

  const current = (): AppTools[] => {
    const bridges = [...conversation.views.values()].flatMap(({ bridge }) => bridge ?? []);
    for (const [bridge, tools] of known) {
      if (bridges.includes(bridge)) continue;
      tools.close();
      known.delete(bridge);
    }
    return bridges.map((bridge) => {
      const tools =
        known.get(bridge) ?? createAppTools(bridge, { isTaken: (name) => owners.has(name) });
      known.set(bridge, tools);
      return tools;
    });
  };

  return {
    list: async () => {
      const found = new Map<string, AppTools>();
      const definitions: AppToolDefinition[] = [];
      const lists = await Promise.all(
        current().map(async (tools) => ({ tools, listed: await inTime(tools.list()) })),
      );
      for (const { tools, listed } of lists) {
        for (const { tool } of listed) {
          found.set(tool.name, tools);
          const { name, description, inputSchema } = tool;
          definitions.push({
            name,
            ...(description !== undefined && { description }),
            inputSchema,
          });
        }
      }
      owners = found;
      return definitions;
    },
    call: async (name, args, { signal } = {}) => {
      const tools = owners.get(name);
      if (!tools) return { content: [{ type: "text", text: GONE }], isError: true };
      try {
        return await tools.call(name, args, signal ? { signal } : {});
      } catch (error) {
        signal?.throwIfAborted();
        return { content: [{ type: "text", text: reasonOf(error) }], isError: true };
      }
    },
  };
}

function reasonOf(error: unknown): string {
  const { code, message } = Object(error) as { code?: unknown; message?: string };
  if (code === "no-app-tools") return GONE;
  if (code === "app-tool-refused") return "The user didn't allow this call.";
  return typeof code === "number" && message ? message : "The app didn't answer.";
}

async function inTime<T>(list: Promise<readonly T[]>): Promise<readonly T[]> {
  const late = new Promise<readonly T[]>((resolve) => setTimeout(resolve, PATIENCE, []));
  return Promise.race([list, late]).catch(() => []);
}
