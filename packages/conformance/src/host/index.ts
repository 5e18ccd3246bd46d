import type { Scenario } from "../scenario.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { CONVERSATION_SCENARIOS } from "./conversation.ts";
import { FRAME_SCENARIOS } from "./frames.ts";
import { APP_TOOL_SCENARIOS } from "./host-app-tools.ts";
import { HOST_CONTEXT_SCENARIOS } from "./host-context.ts";
import { POLICY_SCENARIOS } from "./host-policy.ts";
import { TEARDOWN_SCENARIOS } from "./host-teardown.ts";
import { TOOL_DATA_SCENARIOS } from "./host-tool-data.ts";
import { INITIALIZE_SCENARIOS } from "./initialize.ts";
import { INVALID_MESSAGE_SCENARIOS } from "./invalid-messages.ts";
import { LINK_AND_DOWNLOAD_SCENARIOS } from "./links-and-downloads.ts";
import { NEGOTIATION_SCENARIOS } from "./negotiation.ts";
import { VISIBILITY_SCENARIOS } from "./visibility.ts";

/** The scenarios for a host, in this order: the slowest start first. */
export const HOST_SCENARIOS: readonly Scenario<HostTarget>[] = [
  ...APP_TOOL_SCENARIOS,
  ...LINK_AND_DOWNLOAD_SCENARIOS,
  ...NEGOTIATION_SCENARIOS,
  ...VISIBILITY_SCENARIOS,
  ...FRAME_SCENARIOS,
  ...POLICY_SCENARIOS,
  ...INVALID_MESSAGE_SCENARIOS,
  ...INITIALIZE_SCENARIOS,
  ...TOOL_DATA_SCENARIOS,
  ...TEARDOWN_SCENARIOS,
  ...HOST_CONTEXT_SCENARIOS,
  ...CONVERSATION_SCENARIOS,
];
