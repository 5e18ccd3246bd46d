import type { McpUiDisplayMode, McpUiHostContext } from "@vitrine/protocol/apps";
import type { ContainerDimensions } from "./frame/frame-size.ts";
import type { AppRequest, HostOptions } from "./host.ts";
import type { Surface } from "./surface/surface.ts";

/** Where a View can be shown. */
export const ALL_MODES: readonly McpUiDisplayMode[] = ["inline", "fullscreen", "pip"];

/** Pixels that a View in the page may grow to where its Host names no others. */
const MAX_HEIGHT = 800;

/** How large a View may be where it stands. */
function dimensionsOf(
  { mode, body }: Surface,
  { maxHeight = MAX_HEIGHT }: HostOptions,
): ContainerDimensions {
  const { clientWidth: width, clientHeight: height } = body;
  return {
    ...(width > 0 && { width }),
    // In the page the View says how high it is; elsewhere the Host does (HST-57).
    ...(mode === "inline" ? { maxHeight } : { height }),
  };
}

/** What one View is told beside what all are told (HST-41). */
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
