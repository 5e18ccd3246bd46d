import type { Check } from "./check.ts";
import { COMPATIBILITY_CHECKS } from "./compatibility-checks.ts";
import { DELIVERY_CHECKS } from "./delivery-checks.ts";
import { ENTRANCE_CHECKS } from "./entrance-checks.ts";
import { FLOOD_CHECKS } from "./flood-checks.ts";
import { HOARD_CHECKS } from "./hoard-checks.ts";
import { HOST_CHECKS } from "./host-checks.ts";
import { ISOLATION_CHECKS } from "./isolation-checks.ts";
import { LINK_CHECKS } from "./link-checks.ts";
import { MESSAGE_CHECKS } from "./message-checks.ts";
import { NAVIGATION_CHECKS } from "./navigation-checks.ts";
import { NETWORK_CHECKS } from "./network-checks.ts";
import { SET_UP_CHECKS } from "./set-up-checks.ts";
import { STRAIN_CHECKS } from "./strain-checks.ts";

export const CHECKS: readonly Check[] = [
  ...NETWORK_CHECKS,
  ...NAVIGATION_CHECKS,
  ...LINK_CHECKS,
  ...HOARD_CHECKS,
  ...ISOLATION_CHECKS,
  ...STRAIN_CHECKS,
  ...MESSAGE_CHECKS,
  ...FLOOD_CHECKS,
  ...DELIVERY_CHECKS,
  ...SET_UP_CHECKS,
  ...ENTRANCE_CHECKS,
  ...COMPATIBILITY_CHECKS,
  ...HOST_CHECKS,
];
