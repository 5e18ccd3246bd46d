// The tools and the page behind everything that can be mounted. An app and a server are asked as a host
// asks them, so that a test sees the metadata that a host sees.

import { readFile } from "node:fs/promises";
import { type Channel, linkedChannels, Peer } from "@vitrine/protocol";
import {
  EXTENSION_ID,
  RESOURCE_MIME_TYPE,
  type Tool,
  toolResourceUri,
} from "@vitrine/protocol/apps";
import { MountError } from "./mount-error.ts";
import type { AppLike, MountableView, MountOptions, ServerLike } from "./mount-options.ts";

/** One view and the tools around it. */
export interface ViewContent {
  /** The tool that opened the view. */
  tool: Tool;
  tools: Tool[];
  /** The answer to `resources/read`. */
  resource: object;
}

const OWN_URI = "ui://test/view";

/** Reads a view. Throws a `MountError` if there is none. */
export async function readView(view: MountableView, options: MountOptions): Promise<ViewContent> {
  if (typeof view === "string") return documentContent(view, options);
  if (view instanceof URL) return documentContent(await readDocument(view), options);
  if ("register" in view && typeof view.register === "function") return appContent(view, options);
  if ("connect" in view && typeof view.connect === "function") return serverContent(view, options);
  throw new MountError(
    "no-view",
    "mountView needs HTML text, the URL of a file, an app of defineApp, or a server.",
  );
}

async function readDocument(url: URL): Promise<string> {
  try {
    return await readFile(url, "utf8");
  } catch (cause) {
    throw new MountError(
      "no-view",
      `${url.href} can't be read. If it is built, build it before the tests.`,
      { cause },
    );
  }
}

/** A page without a server: each tool that the test answers exists. */
function documentContent(html: string, options: MountOptions): ViewContent {
  const { tool: name = "show", tools = {}, csp, permissions } = options;
  const inputSchema = { type: "object" as const };
  const tool: Tool = { name, inputSchema, _meta: { ui: { resourceUri: OWN_URI } } };
  const others = Object.keys(tools).filter((other) => other !== name);
  const ui = { ...(csp && { csp }), ...(permissions && { permissions }) };
  const item = { uri: OWN_URI, mimeType: RESOURCE_MIME_TYPE, text: html, _meta: { ui } };
  return {
    tool,
    tools: [tool, ...others.map((other) => ({ name: other, inputSchema }))],
    resource: { contents: [item] },
  };
}

type Read = (uri: URL, context: object) => unknown;

/** Registers the app on an object that only remembers. */
async function appContent(app: AppLike, options: MountOptions): Promise<ViewContent> {
  const tools: Tool[] = [];
  const reads = new Map<string, Read>();
  app.register({
    registerTool: (name: string, config: Partial<Tool>) => {
      // Schemas of other libraries aren't JSON Schema, and the answers don't depend on them.
      const { title, description, annotations, _meta } = config;
      tools.push({
        name,
        inputSchema: { type: "object" },
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        ...(annotations && { annotations }),
        ...(_meta && { _meta }),
      });
    },
    registerResource: (_: string, uri: unknown, __: object, read: Read) => {
      if (typeof uri === "string") reads.set(uri, read);
    },
  } as never);
  const { tool, uri } = openingTool(tools, options.tool);
  const read = reads.get(uri);
  if (!read) throw new MountError("no-view", `The app has no view at ${uri}.`);
  return { tool, tools, resource: (await read(new URL(uri), {})) as object };
}

/** Connects to the server as a host does. */
async function serverContent(server: ServerLike, options: MountOptions): Promise<ViewContent> {
  const [near, far] = linkedChannels();
  const client = new Peer();
  await server.connect(asTransport(far) as never);
  client.connect(near);
  try {
    await client.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } },
      clientInfo: { name: "@vitrine/testing", version: "0.1.0" },
    });
    client.notify("notifications/initialized", {});
    const { tools } = (await client.request("tools/list", {})) as { tools: Tool[] };
    const { tool, uri } = openingTool(tools, options.tool);
    const resource = (await client.request("resources/read", { uri })) as object;
    return { tool, tools, resource };
  } finally {
    client.close();
  }
}

/** The official transports have a promise as the result of each method. */
function asTransport(channel: Channel): object {
  return Object.assign(channel, {
    start: async () => {},
    send: channel.send.bind(channel),
    close: async () => channel.close(),
  });
}

function openingTool(
  tools: readonly Tool[],
  name: string | undefined,
): { tool: Tool; uri: string } {
  for (const tool of tools) {
    const uri = toolResourceUri(tool)?.uri;
    if (uri !== undefined && (name === undefined || tool.name === name)) return { tool, uri };
  }
  const names = tools.map((tool) => tool.name).join(", ");
  throw new MountError(
    "no-tool",
    name === undefined
      ? `None of the tools opens a view: ${names || "there are no tools"}.`
      : `The tool "${name}" doesn't exist or doesn't open a view. The tools are: ${names}.`,
  );
}
