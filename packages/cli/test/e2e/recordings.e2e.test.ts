import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Recording } from "../../src/dev/recording.ts";
import { CHANGES } from "../recordings/changes.ts";
import { createRecordedProject, type RecordedProject } from "../recordings/recorded-session.ts";
import { closePages } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 120_000, testTimeout: 120_000 });

let project: RecordedProject;
let recording: Recording;
beforeAll(async () => {
  project = await createRecordedProject();
  recording = await project.record();
});
afterAll(async () => {
  await closePages();
  await project.remove();
});

it("records a user's actions with robust selectors, and no secret", () => {
  const actions = recording.inputs.map(({ at: _, ...input }) => input);
  expect(actions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: "run", tool: "show_orders" }),
      {
        kind: "click",
        selector: expect.objectContaining({ role: "checkbox", name: "Axle" }),
      },
      { kind: "consent", about: "tool", allow: true },
      expect.objectContaining({ kind: "select", value: ["down"] }),
      expect.objectContaining({ kind: "fill", value: "Drum" }),
      expect.objectContaining({ kind: "press", value: "Enter" }),
    ]),
  );
  // Each keystroke of the part's name had no effect, so that they are one action.
  expect(actions.filter(({ kind }) => kind === "fill").length).toBeLessThan(5);
  expect(JSON.stringify(recording.inputs)).not.toContain("1234");
});

it("passes on the unchanged app, and fails at the right message of a changed one", async () => {
  const unchanged = await project.replay(recording);
  expect(unchanged).toMatchObject({ code: 0, verdict: { same: true } });
  const [change] = CHANGES;
  if (!change) throw new Error("There is no change.");
  await project.change(change.from, change.to);
  const changed = await project.replay(recording);
  expect(changed.code).toBe(1);
  expect(changed.verdict.words).toMatch(change.expected);
});
