import type {
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiHostStyles,
} from "@vitrine/protocol/apps";

/** A host context with the names that early hosts used. */
type LooseContext = McpUiHostContext & {
  hostContext?: LooseContext;
  style?: McpUiHostStyles;
};
type LooseCapabilities = McpUiHostCapabilities & { tools?: object; resources?: object };

/**
 * The context after a change (VEW-12). Styles are merged variable by variable, so that a Host can change
 * one colour and keep the others. Accepts the older `style` and a nested `hostContext`.
 */
export function mergeContext(
  context: McpUiHostContext | undefined,
  change: McpUiHostContext,
): McpUiHostContext {
  const { hostContext, ...rest } = change as LooseContext;
  const { style, styles = style, ...changes }: LooseContext = { ...rest, ...hostContext };
  const old = context?.styles;
  return {
    ...context,
    ...changes,
    ...(styles && {
      styles: { ...old, ...styles, variables: { ...old?.variables, ...styles.variables } },
    }),
  } as McpUiHostContext;
}

/** Maps the capability names of early hosts to the current ones. */
export function readCapabilities({
  tools,
  resources,
  ...rest
}: LooseCapabilities): McpUiHostCapabilities {
  return { serverTools: tools, serverResources: resources, ...rest } as McpUiHostCapabilities;
}
