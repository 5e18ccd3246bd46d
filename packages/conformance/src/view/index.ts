import type { Scenario } from "../scenario.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { APP_TOOL_SCENARIOS } from "./app-tools.ts";
import { ASKING_SCENARIOS } from "./asking.ts";
import { CLOSING_SCENARIOS } from "./closing.ts";
import { CONTEXT_SCENARIOS } from "./context.ts";
import { DISPLAY_MODE_SCENARIOS } from "./display-modes.ts";
import { HANDSHAKE_SCENARIOS } from "./handshake.ts";
import { LAYOUT_SCENARIOS } from "./layout.ts";
import { TOOL_DATA_SCENARIOS } from "./tool-data.ts";

/** What a View is put through, in this order. */
export const VIEW_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  ...HANDSHAKE_SCENARIOS,
  ...DISPLAY_MODE_SCENARIOS,
  ...TOOL_DATA_SCENARIOS,
  ...LAYOUT_SCENARIOS,
  ...CONTEXT_SCENARIOS,
  ...CLOSING_SCENARIOS,
  ...ASKING_SCENARIOS,
  ...APP_TOOL_SCENARIOS,
];
