import type { Scenario } from "../scenario.ts";
import type { ServerTarget } from "../targets/server-target.ts";
import { ADDRESS_SCENARIOS } from "./addresses.ts";
import { CLIENT_SCENARIOS } from "./clients.ts";
import { METADATA_SCENARIOS } from "./metadata.ts";
import { ORIGIN_SCENARIOS } from "./origins.ts";
import { RESULT_SCENARIOS } from "./results.ts";
import { TOOL_SCENARIOS } from "./tools.ts";

/** The scenarios for a server, in this order. */
export const SERVER_SCENARIOS: readonly Scenario<ServerTarget>[] = [
  ...ADDRESS_SCENARIOS,
  ...METADATA_SCENARIOS,
  ...ORIGIN_SCENARIOS,
  ...TOOL_SCENARIOS,
  ...RESULT_SCENARIOS,
  ...CLIENT_SCENARIOS,
];
