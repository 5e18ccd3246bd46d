import type { Diagnostic } from "./diagnostic.ts";
import { MCP_APP_PROPERTIES, type McpAppProperties } from "./element.ts";

/** What the action takes. */
export interface McpAppParameters extends McpAppProperties {
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/**
 * Shows a View inside an element: `<div use:mcpApp={{ host, app, input, result }}></div>`. What the
 * element contains is seen until the View is, and when it cannot be.
 *
 * Svelte removes a node before it tells the action, so a View that is rendered elsewhere begins a new
 * life there, and is told everything again.
 */
export function mcpApp(
  node: HTMLElement,
  parameters: McpAppParameters,
): { update(parameters: McpAppParameters): void; destroy(): void } {
  const element = document.createElement("mcp-app");
  const fallback = document.createElement("div");
  let current = parameters;
  fallback.slot = "fallback";
  fallback.append(...node.childNodes);
  element.append(fallback);
  element.addEventListener("diagnostic", (event) =>
    current.onDiagnostic?.((event as CustomEvent<Diagnostic>).detail),
  );
  const update = (next: McpAppParameters): void => {
    current = next;
    for (const name of MCP_APP_PROPERTIES) Object.assign(element, { [name]: next[name] });
  };
  update(parameters);
  node.append(element);
  return { update, destroy: () => element.remove() };
}
