import type { Scenario } from "../scenario.ts";
import type { SandboxTarget } from "../targets/sandbox-target.ts";
import { FRAMING_SCENARIOS } from "./framing.ts";
import { POLICY_SCENARIOS } from "./policy.ts";
import { RELAY_SCENARIOS } from "./relay.ts";
import { STRANGER_SCENARIOS } from "./strangers.ts";

/** What a Sandbox is put through, in this order. */
export const SANDBOX_SCENARIOS: readonly Scenario<SandboxTarget>[] = [
  ...FRAMING_SCENARIOS,
  ...POLICY_SCENARIOS,
  ...RELAY_SCENARIOS,
  ...STRANGER_SCENARIOS,
];
