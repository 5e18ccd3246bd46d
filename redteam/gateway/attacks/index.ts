/** Ids of the attacks against real gateway processes. */
export const GATEWAY_ATTACK_IDS: readonly string[] = [];
