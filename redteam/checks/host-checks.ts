import { setTimeout as sleep } from "node:timers/promises";
import { type Check, INCONCLUSIVE } from "./check.ts";
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

// Several times what the longest takes.
const DEADLINE = 180_000;

/** Attacks on the real host: what a view asks of it, and what it does to the people before it. */
export const HOST_CHECKS: readonly Check[] = [
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
].map(bounded);

/** A key or click whose frame is gone before it was used is never acknowledged to the driver. */
function bounded(check: Check): Check {
  const run: Check["run"] = async (scene) => {
    const over = new AbortController();
    const late = sleep(DEADLINE, [`${INCONCLUSIVE}no end in sight`], { signal: over.signal });
    late.catch(() => {});
    try {
      return await Promise.race([check.run(scene), late]);
    } finally {
      over.abort();
    }
  };
  return { ...check, run };
}
