import type { Check } from "./check.ts";
import { COMPATIBILITY_CHECKS } from "./compatibility-checks.ts";
import { DELIVERY_CHECKS } from "./delivery-checks.ts";
import { FLOOD_CHECKS } from "./flood-checks.ts";
import { HOST_CONSENT_CHECKS } from "./host-consent-checks.ts";
import { HOST_DOWNLOAD_CHECKS } from "./host-download-checks.ts";
import { HOST_FLOOD_CHECKS } from "./host-flood-checks.ts";
import { HOST_LAYOUT_CHECKS } from "./host-layout-checks.ts";
import { HOST_LINK_CHECKS } from "./host-link-checks.ts";
import { HOST_MODEL_CHECKS } from "./host-model-checks.ts";
import { HOST_NAME_CHECKS } from "./host-name-checks.ts";
import { HOST_PEOPLE_CHECKS } from "./host-people-checks.ts";
import { HOST_SCREEN_CHECKS } from "./host-screen-checks.ts";
import { HOST_TOOL_CHECKS } from "./host-tool-checks.ts";
import { ISOLATION_CHECKS } from "./isolation-checks.ts";
import { MESSAGE_CHECKS } from "./message-checks.ts";
import { NAVIGATION_CHECKS } from "./navigation-checks.ts";
import { NETWORK_CHECKS } from "./network-checks.ts";
import { SET_UP_CHECKS } from "./set-up-checks.ts";
import { STRAIN_CHECKS } from "./strain-checks.ts";

export const CHECKS: readonly Check[] = [
  ...NETWORK_CHECKS,
  ...NAVIGATION_CHECKS,
  ...ISOLATION_CHECKS,
  ...STRAIN_CHECKS,
  ...MESSAGE_CHECKS,
  ...FLOOD_CHECKS,
  ...DELIVERY_CHECKS,
  ...SET_UP_CHECKS,
  ...COMPATIBILITY_CHECKS,
  ...HOST_LINK_CHECKS,
  ...HOST_DOWNLOAD_CHECKS,
  ...HOST_MODEL_CHECKS,
  ...HOST_TOOL_CHECKS,
  ...HOST_CONSENT_CHECKS,
  ...HOST_NAME_CHECKS,
  ...HOST_LAYOUT_CHECKS,
  ...HOST_SCREEN_CHECKS,
  ...HOST_FLOOD_CHECKS,
  ...HOST_PEOPLE_CHECKS,
];
