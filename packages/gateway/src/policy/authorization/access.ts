import type { Caller } from "../caller.ts";
import type { Exchange } from "../exchange.ts";
import type { ServerBinding } from "../server-binding.ts";
import type { AccessTarget } from "./access-request.ts";
import type { Authorizer } from "./authorizer.ts";

/** The policies that are in force. A reload replaces them in the same object. */
export interface Access {
  /** Undefined if there is no policy: then every user may use every server. */
  readonly authorizer: Authorizer | undefined;
  /** `log` records decisions without enforcing them. */
  readonly mode: "enforce" | "log";
}

/** A gateway without policies. */
export const OPEN_ACCESS: Access = { authorizer: undefined, mode: "enforce" };

/** Whether a caller sees something in a list. */
export function mayUse(
  { authorizer, mode }: Access,
  { caller, server }: Pick<Exchange, "caller" | "server">,
  target: AccessTarget,
): boolean {
  if (!authorizer || mode === "log") return true;
  return authorizer.mayAllow({ caller, server: server.id, target: withApproval(target, server) });
}

/** Adds whether the tool's definition is approved. */
export function withApproval(target: AccessTarget, server: ServerBinding): AccessTarget {
  if (target.action !== "call") return target;
  return { ...target, isApproved: () => server.isApproved(target.tool) };
}

/** Whether a caller sees a server in lists. */
export function maySeeServer(
  { authorizer, mode }: Access,
  caller: Caller,
  server: string,
): boolean {
  return !authorizer || mode === "log" || authorizer.maySee(caller, server);
}

/** Whether an address is the view of a tool that the caller may call. No policy has to name it then. */
export async function isViewOfTool(
  access: Access,
  exchange: Pick<Exchange, "caller" | "server">,
  uri: string,
): Promise<boolean> {
  if (!uri.startsWith("ui://")) return false;
  const tools = await exchange.server.catalogue.tools(exchange.caller);
  return tools.showing(uri).some((tool) => mayUse(access, exchange, { action: "call", tool }));
}

/** Whether a caller may read an address: a policy permits it, or it is the view of a tool that it may call. */
export async function mayRead(
  access: Access,
  exchange: Pick<Exchange, "caller" | "server">,
  uri: string,
): Promise<boolean> {
  return mayUse(access, exchange, { action: "read", uri }) || isViewOfTool(access, exchange, uri);
}

/** Whether a caller sees a resource template in a list. */
export function maySeeTemplate(
  { authorizer, mode }: Access,
  { caller, server }: Pick<Exchange, "caller" | "server">,
  template: string,
): boolean {
  if (!authorizer || mode === "log") return true;
  return authorizer.mayReadSome({ caller, server: server.id, template });
}
