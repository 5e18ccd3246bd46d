import { catalogueOf, type UpstreamRequestOptions } from "@vitrine/host";
import { cutText, forModel } from "@vitrine/host/model";
import { type AppsClients, upstreamOf } from "@vitrine/host/remote";
import type { CallToolResult, Tool } from "@vitrine/protocol/apps";
import { modelToolName } from "../tool-name.ts";

/** A server's tool that a model may call. */
export interface ModelTool {
  /** The name for the model, with the server's as its prefix. */
  readonly name: string;
  /** Your name for the server. */
  readonly server: string;
  /** The definition, as the server sent it. */
  readonly tool: Tool;
  /** For the model: bounded, and without characters that people can't see. */
  readonly description: string;
  readonly inputSchema: Tool["inputSchema"];
  call(args: Record<string, unknown>, options?: UpstreamRequestOptions): Promise<CallToolResult>;
}

/** Options of `listModelTools`. */
export interface ListModelToolsOptions {
  /** Called for a server that doesn't respond; the others' tools are listed. */
  onError?(server: string, error: unknown): void;
}

const DESCRIPTION = 4096;

/** The tools of all servers that the model may see (HST-08). */
export async function listModelTools(
  clients: AppsClients,
  { onError }: ListModelToolsOptions = {},
): Promise<ModelTool[]> {
  const lists = await Promise.all(
    Object.entries(clients).map(async ([server, client]): Promise<ModelTool[]> => {
      try {
        const upstream = await upstreamOf(client, { server });
        const tools = await catalogueOf(upstream).forModel();
        return tools.map((tool) => ({
          name: modelToolName(server, tool.name),
          server,
          tool,
          description: cutText(tool.description ?? tool.title ?? tool.name, DESCRIPTION),
          inputSchema: forModel(tool.inputSchema),
          call: (args, options = {}) =>
            upstream.request("tools/call", { name: tool.name, arguments: args }, options),
        }));
      } catch (error) {
        onError?.(server, error);
        return [];
      }
    }),
  );
  return lists.flat();
}
