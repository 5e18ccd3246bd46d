import type { Scenario } from "../scenario.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { APP_TOOL_SCENARIOS } from "./app-tools.ts";
import { ASKING_SCENARIOS } from "./asking.ts";
import { CLOSING_SCENARIOS } from "./closing.ts";
import { CONVERSATION_SCENARIOS } from "./conversation.ts";
import { FRAME_SCENARIOS } from "./frames.ts";
import { GREETING_SCENARIOS } from "./greeting.ts";
import { MESSAGE_SCENARIOS } from "./messages.ts";
import { NEGOTIATION_SCENARIOS } from "./negotiation.ts";
import { POLICY_SCENARIOS } from "./policy.ts";
import { SURROUNDING_SCENARIOS } from "./surroundings.ts";
import { TOOL_DATA_SCENARIOS } from "./tool-data.ts";
import { VISIBILITY_SCENARIOS } from "./visibility.ts";

/** What a Host is put through, in this order: what takes longest begins first. */
export const HOST_SCENARIOS: readonly Scenario<HostTarget>[] = [
  ...APP_TOOL_SCENARIOS,
  ...ASKING_SCENARIOS,
  ...NEGOTIATION_SCENARIOS,
  ...VISIBILITY_SCENARIOS,
  ...FRAME_SCENARIOS,
  ...POLICY_SCENARIOS,
  ...MESSAGE_SCENARIOS,
  ...GREETING_SCENARIOS,
  ...TOOL_DATA_SCENARIOS,
  ...CLOSING_SCENARIOS,
  ...SURROUNDING_SCENARIOS,
  ...CONVERSATION_SCENARIOS,
];
