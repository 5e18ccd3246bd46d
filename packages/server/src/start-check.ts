// Checks before the first client is served: the extension is advertised (SRV-20), and no tool names a
// missing view (SRV-05). Every way to serve ends in `connect` of the inner server: `McpServer`
// itself, serveStdio, and createMcpHandler, which builds a server for each request. So the check runs
// before that method.

import { EXTENSION_ID } from "@vitrine/protocol/apps";
import { serverError } from "./errors.ts";
import { hasResource, innerServer, type UiTool, uiToolsOf } from "./mcp-server.ts";
import type { Warn } from "./warnings.ts";

/** Our registrations, for servers whose internals can't be seen. */
interface Enlisted {
  tools: Map<string, string>;
  resources: Set<string>;
}

const enlisted = new WeakMap<object, Enlisted>();

/** Makes a server advertise the extension and check itself before it connects; once per server. */
function enlist(server: object, warn: Warn): Enlisted {
  const known = enlisted.get(server);
  if (known) return known;
  const own: Enlisted = { tools: new Map(), resources: new Set() };
  enlisted.set(server, own);
  const inner = innerServer(server);
  if (!inner) return own;
  if (inner.transport === undefined) {
    inner.registerCapabilities({ extensions: { [EXTENSION_ID]: {} } });
  } else {
    const message =
      "The first view was registered after the server connected, so clients don't know about it (SRV-20). Register one before, or pass the extension in the server's capabilities.";
    warn({ code: "extension-unsaid", about: EXTENSION_ID, message });
  }
  const connect = inner.connect.bind(inner);
  inner.connect = async (transport) => {
    try {
      checkApps(server);
    } catch (error) {
      const { message } = error as Error;
      warn({ code: "start-refused", about: message, message });
      throw error;
    }
    await connect(transport);
  };
  return own;
}

/** Records a tool; on a connected server, its view must already exist. */
export function enlistTool(server: object, tool: UiTool | undefined, warn: Warn): void {
  const own = enlist(server, warn);
  if (!tool) return;
  own.tools.set(tool.name, tool.uri);
  if (innerServer(server)?.transport !== undefined) check(server, [tool]);
}

/** Records a resource. */
export function enlistResource(server: object, uri: string, warn: Warn): void {
  enlist(server, warn).resources.add(uri);
}

/**
 * Throws if a tool names a view that the server doesn't have (SRV-05). Runs automatically when the
 * server connects; call it at the start of a program whose servers are built per request:
 * `checkApps(build())`.
 */
export function checkApps(server: object): void {
  const own = [...(enlisted.get(server)?.tools ?? [])].map(([name, uri]) => ({ name, uri }));
  check(server, uiToolsOf(server) ?? own);
}

function check(server: object, tools: readonly UiTool[]): void {
  const own = enlisted.get(server)?.resources;
  const dangling = tools.filter(({ uri }) => !(hasResource(server, uri) ?? own?.has(uri)));
  if (dangling.length === 0) return;
  const named = dangling.map(({ name, uri }) => `tool "${name}" is shown by ${uri}`).join(", ");
  throw serverError("dangling-resource", `${named.slice(0, 1).toUpperCase()}${named.slice(1)}`);
}
