import type { Tool } from "@vitrine/protocol/apps";

/** The view of a tool that a gateway's combined endpoint lists. */
export interface GatewayView {
  /** The gateway's name for the server, for `openGatewayUpstream`. */
  server: string;
  /** The `ui://` address of the view at the server, for `openGatewayUpstream`. */
  resource: string;
  /** The tool as its server names it, for `mount`: the view calls tools by these names. */
  tool: Tool;
}

const SOURCE_KEY = "vitrine/source";

/**
 * Finds the view of a tool in the list of a gateway's `/mcp`. Undefined for a tool without a view. Pass only tools
 * that a gateway listed: any other server can claim any source.
 */
export function gatewayViewOf(tool: Tool): GatewayView | undefined {
  const { [SOURCE_KEY]: source, "ui/resourceUri": _flat, ui, ...meta } = tool._meta ?? {};
  const { server, name, resource } = Object(source) as Record<string, unknown>;
  if (typeof server !== "string" || typeof name !== "string") return undefined;
  if (typeof resource !== "string") return undefined;
  const _meta = { ...meta, ui: { ...Object(ui), resourceUri: resource } };
  return { server, resource, tool: { ...tool, name, _meta } };
}
