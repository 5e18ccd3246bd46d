import type { McpUiDisplayMode, McpUiHostContext } from "@vitrine/protocol/apps";
import type { ContainerDimensions } from "./frame/frame-size.ts";
import type { HostOptions } from "./host-options.ts";
import type { AppRequest } from "./hosted-view.ts";
import type { Surface } from "./surface/surface.ts";

/** The display modes of a view. */
export const ALL_MODES: readonly McpUiDisplayMode[] = ["inline", "fullscreen", "pip"];

/** The default maximum height of an inline view, in pixels. */
const MAX_HEIGHT = 800;

/** The size that a view may have in its current mode. */
function dimensionsOf(
  { mode, body }: Surface,
  { maxHeight = MAX_HEIGHT }: HostOptions,
): ContainerDimensions {
  const { clientWidth: width, clientHeight: height } = body;
  return {
    ...(width > 0 && { width }),
    // Inline, the view decides its height; elsewhere the host does (HST-57).
    ...(mode === "inline" ? { maxHeight } : { height }),
  };
}

/** The part of the host context that differs per view (HST-41). */
export function contextOf(
  { tool, callId }: AppRequest,
  surface: Surface,
  options: HostOptions,
): McpUiHostContext {
  return {
    toolInfo: { ...(callId !== undefined && { id: callId }), tool },
    displayMode: surface.mode,
    availableDisplayModes: [...(options.displayModes ?? ALL_MODES)],
    containerDimensions: dimensionsOf(surface, options),
  };
}
