import type { Scenario } from "../scenario.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { CONTEXT_SCENARIOS } from "./context.ts";
import { DISPLAY_MODE_SCENARIOS } from "./display-modes.ts";
import { HANDSHAKE_SCENARIOS } from "./handshake.ts";
import { LAYOUT_SCENARIOS } from "./layout.ts";
import { SAMPLING_SCENARIOS } from "./sampling.ts";
import { APP_TOOL_SCENARIOS } from "./view-app-tools.ts";
import { TEARDOWN_SCENARIOS } from "./view-teardown.ts";
import { TOOL_DATA_SCENARIOS } from "./view-tool-data.ts";

/** The scenarios for a view, in this order. */
export const VIEW_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  ...HANDSHAKE_SCENARIOS,
  ...DISPLAY_MODE_SCENARIOS,
  ...TOOL_DATA_SCENARIOS,
  ...LAYOUT_SCENARIOS,
  ...CONTEXT_SCENARIOS,
  ...TEARDOWN_SCENARIOS,
  ...SAMPLING_SCENARIOS,
  ...APP_TOOL_SCENARIOS,
];
