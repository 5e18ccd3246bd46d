import type { Scenario } from "../scenario.ts";
import type { SandboxTarget } from "../targets/sandbox-target.ts";
import { FOREIGN_WINDOW_SCENARIOS } from "./foreign-windows.ts";
import { FRAMING_SCENARIOS } from "./framing.ts";
import { RELAY_SCENARIOS } from "./relay.ts";
import { POLICY_SCENARIOS } from "./view-policy.ts";

/** The scenarios for a sandbox, in this order. */
export const SANDBOX_SCENARIOS: readonly Scenario<SandboxTarget>[] = [
  ...FRAMING_SCENARIOS,
  ...POLICY_SCENARIOS,
  ...RELAY_SCENARIOS,
  ...FOREIGN_WINDOW_SCENARIOS,
];
