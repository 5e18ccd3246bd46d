import type { Tool } from "@vitrine/protocol/apps";
import type { UiResource } from "../resources/ui-resource.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { FrameOptions } from "./frame.ts";
import type { SandboxAddress } from "./sandbox-address.ts";

/** Where a host's views run, and who uses them. */
export interface FrameOwner {
  sandbox: SandboxAddress;
  tenant?: string | undefined;
  user?: string | undefined;
}

/** The options of a frame for a tool's view. */
export function frameOptions(
  { sandbox, tenant, user }: FrameOwner,
  { upstream, tool }: { upstream: Upstream; tool: Tool },
  resource: UiResource,
): FrameOptions {
  const identity = { server: upstream.server, resource: resource.uri, tenant, user };
  return { sandbox, resource, identity, upstream, title: tool.title ?? tool.name };
}
