// The suite against real products: our own SDKs, and the official View SDK.

import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runConformance } from "../../src/run.ts";
import type { Outcome, Verdict } from "../../src/scenario.ts";
import { buildSdkView } from "../views/build-view.ts";

const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";
const sources = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
const server = fileURLToPath(new URL("../../../../examples/ten-lines/server.mjs", import.meta.url));
const command = [process.execPath, ...sources, server];

const ids = (outcomes: Outcome[], ...verdicts: Verdict[]): string[] =>
  outcomes.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);

describe("the suite", { timeout: 240_000 }, () => {
  it("has nothing against a server of ten lines, in both eras", async () => {
    const { outcomes } = await runConformance({ role: "server", target: { command } });
    expect(ids(outcomes, "fail", "error", "warn")).toEqual([]);
    // It asks for no domain, so there is none to judge.
    expect(ids(outcomes, "not-run")).toEqual(["SRV-08"]);
    expect(outcomes[0]?.note).toContain("2025-11-25 and 2026-07-28");
  });

  it("has nothing against the View that this server hands out", async () => {
    const target = { server: { command }, chromium };
    const { outcomes } = await runConformance({ role: "view", target });
    expect(ids(outcomes, "fail", "error")).toEqual([]);
  });

  it("has nothing against a View of our SDK that asks for everything", async () => {
    const target = { html: await buildSdkView("@vitrine/view"), chromium };
    const { outcomes } = await runConformance({ role: "view", target });
    expect(ids(outcomes, "fail", "error")).toEqual([]);
    // It asks the browser for no permission.
    expect(ids(outcomes, "not-run")).toEqual(["VEW-06"]);
    expect(ids(outcomes, "warn")).toEqual([]);
  });

  it("finds in the same View of the official SDK what its SDK does not check", async () => {
    const target = { html: await buildSdkView("ext-apps-v2"), chromium };
    const { outcomes } = await runConformance({ role: "view", target });
    expect(ids(outcomes, "fail", "error")).toEqual(["VEW-04", "VEW-15", "VEW-16"]);
    expect(ids(outcomes, "warn")).toEqual(["VEW-13", "VEW-20", "VEW-27"]);
  });
});
