import type { GatewayAttack } from "../attack.ts";
import { ADMIN_ATTACKS } from "./admin.ts";
import { EDGE_ATTACKS } from "./edge.ts";
import { FRAME_ATTACKS } from "./frames.ts";
import { RECORD_ATTACKS } from "./records.ts";
import { SECRET_ATTACKS } from "./secrets.ts";
import { WORK_ATTACKS } from "./work.ts";

/** Every attack against real gateway processes, one file per area. */
export const GATEWAY_ATTACKS: readonly GatewayAttack[] = [
  ...FRAME_ATTACKS,
  ...WORK_ATTACKS,
  ...EDGE_ATTACKS,
  ...RECORD_ATTACKS,
  ...SECRET_ATTACKS,
  ...ADMIN_ATTACKS,
];

/** Ids of the attacks against real gateway processes. */
export const GATEWAY_ATTACK_IDS: readonly string[] = GATEWAY_ATTACKS.map(({ id }) => id);
