// A set-up file of all tests that run in Node. `vi.waitFor` gives up after one second by default, which
// is too short for a machine that does other work, and asks every 50 ms, which is slow on one that doesn't.

import { vi } from "vitest";

const PATIENT = { timeout: 10_000, interval: 20 };

const { waitFor } = vi;
// Test files that share a worker run this again, with the same `vi`.
if (waitFor.name !== "waitPatiently") {
  vi.waitFor = function waitPatiently(callback, options = {}) {
    const given = typeof options === "number" ? { timeout: options } : options;
    return waitFor(callback, { ...PATIENT, ...given });
  };
}
