// A Host's page with the parts of the host package laid out, for tests that put them together.

import { registerView } from "@vitrine/internal/host-registration";
import { probeEgress } from "../../../src/frame/egress.ts";
import { createFocusGuard } from "../../../src/frame/focus-guard.ts";
import { openFrame } from "../../../src/frame/frame.ts";
import { createFrameSize } from "../../../src/frame/frame-size.ts";
import { watchHealth } from "../../../src/frame/health.ts";
import { createLiveViews, watchVisible } from "../../../src/live-views.ts";
import { canMove } from "../../../src/surface/frame-moves.ts";
import { createSurface } from "../../../src/surface/surface.ts";

const parts = {
  canMove,
  createFocusGuard,
  createFrameSize,
  createLiveViews,
  createSurface,
  openFrame,
  probeEgress,
  registerView,
  watchHealth,
  watchVisible,
};

declare global {
  interface Window {
    parts: typeof parts;
    /** What a test keeps from one step to the next. */
    // biome-ignore lint/suspicious/noExplicitAny: each test knows what it has put there.
    kept: any;
  }
}

Object.assign(window, { parts, kept: {} });
