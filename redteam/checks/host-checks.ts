import { setTimeout as sleep } from "node:timers/promises";
import { type Check, INCONCLUSIVE } from "./check.ts";
import { HOST_CONSENT_CHECKS } from "./host-consent-checks.ts";
import { HOST_CONTEXT_CHECKS } from "./host-context-checks.ts";
import { HOST_DOWNLOAD_CHECKS } from "./host-download-checks.ts";
import { HOST_ENDING_CHECKS } from "./host-ending-checks.ts";
import { HOST_FLOOD_CHECKS } from "./host-flood-checks.ts";
import { HOST_GESTURE_CHECKS } from "./host-gesture-checks.ts";
import { HOST_INLINE_CHECKS } from "./host-inline-checks.ts";
import { HOST_INTERLEAVING_CHECKS } from "./host-interleaving-checks.ts";
import { HOST_LAYOUT_CHECKS } from "./host-layout-checks.ts";
import { HOST_LINK_CHECKS } from "./host-link-checks.ts";
import { HOST_MEMORY_CHECKS } from "./host-memory-checks.ts";
import { HOST_MODEL_CHECKS } from "./host-model-checks.ts";
import { HOST_MODEL_TEXT_CHECKS } from "./host-model-text-checks.ts";
import { HOST_NAME_CHECKS } from "./host-name-checks.ts";
import { HOST_PAUSE_CHECKS } from "./host-pause-checks.ts";
import { HOST_PEOPLE_CHECKS } from "./host-people-checks.ts";
import { HOST_PICKER_CHECKS } from "./host-picker-checks.ts";
import { HOST_QUESTION_CHECKS } from "./host-question-checks.ts";
import { HOST_RETURN_CHECKS } from "./host-return-checks.ts";
import { HOST_SCREEN_CHECKS } from "./host-screen-checks.ts";
import { HOST_SHIELD_CHECKS } from "./host-shield-checks.ts";
import { HOST_TOOL_CHECKS } from "./host-tool-checks.ts";

// Several times what the longest takes.
const DEADLINE = 180_000;

/** Attacks on the real host: what a view asks of it, and what it does to the people before it. */
export const HOST_CHECKS: readonly Check[] = [
  ...HOST_LINK_CHECKS,
  ...HOST_DOWNLOAD_CHECKS,
  ...HOST_MODEL_CHECKS,
  ...HOST_MODEL_TEXT_CHECKS,
  ...HOST_CONTEXT_CHECKS,
  ...HOST_ENDING_CHECKS,
  ...HOST_TOOL_CHECKS,
  ...HOST_CONSENT_CHECKS,
  ...HOST_QUESTION_CHECKS,
  ...HOST_MEMORY_CHECKS,
  ...HOST_INTERLEAVING_CHECKS,
  ...HOST_PICKER_CHECKS,
  ...HOST_INLINE_CHECKS,
  ...HOST_GESTURE_CHECKS,
  ...HOST_NAME_CHECKS,
  ...HOST_LAYOUT_CHECKS,
  ...HOST_SHIELD_CHECKS,
  ...HOST_SCREEN_CHECKS,
  ...HOST_RETURN_CHECKS,
  ...HOST_FLOOD_CHECKS,
  ...HOST_PEOPLE_CHECKS,
  ...HOST_PAUSE_CHECKS,
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
