import { toolResourceUri } from "@vitrine/protocol/apps/discovery";

/**
 * The address of a tool's view under its official name, or `undefined` if the tool has none. Throws if
 * the tool declares something else than a `ui://` address.
 */
export function getToolUiResourceUri(tool: { _meta?: unknown }): string | undefined {
  const found = toolResourceUri({ name: "", ...tool });
  if (found.code === "invalid") {
    throw new Error(
      `The tool's view has an invalid address: ${found.reason}. Ask the server's author to declare a ui:// address.`,
    );
  }
  return found.uri;
}
