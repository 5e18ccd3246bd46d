import { readFileSync } from "node:fs";
import { ScriptedHost } from "@vitrine/internal/scripted-host";
import { LocalError } from "@vitrine/protocol";
import { PEER_ERROR_MESSAGES } from "@vitrine/protocol/error-messages";
import { App } from "@vitrine/view";
import { describe, expect, test } from "vitest";
import { VIEW_ERROR_MESSAGES } from "../src/error-messages.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

/** The members of a union of string literals, read from its source: types are gone at run time. */
function union(path: string, name: string): string[] {
  const [, body = ""] = new RegExp(`type ${name} =([^;]*);`).exec(read(path)) ?? [];
  return [...body.matchAll(/"([^"]+)"/g)].map(([, code = ""]) => code);
}

const peerCodes = union("../../protocol/src/errors.ts", "PeerErrorCode");
const viewCodes = [
  ...union("../src/errors.ts", "ViewErrorCode"),
  ...union("../src/inspection.ts", "InspectionCode"),
];
const sections = new Map(
  read("../errors.md")
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section] as const),
);

describe("every local error code", () => {
  test("is known to this test", () => {
    expect(peerCodes).toContain("closed");
    expect(viewCodes).toContain("positional");
    expect(viewCodes.length).toBeGreaterThan(8);
  });

  test.each([...peerCodes, ...viewCodes])("%s has a heading of its own in errors.md", (code) => {
    const section = sections.get(code);
    expect(section).toBeDefined();
    // The heading is its own anchor only if nothing in it is changed on the way there.
    expect(code).toMatch(/^[a-z-]+$/);
    const lines = section?.trim().split("\n").slice(1).filter(Boolean) ?? [];
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines.length).toBeLessThanOrEqual(7);
  });

  test.each([...peerCodes, ...viewCodes])("%s has a sentence that names the value", (code) => {
    const sentence = { ...PEER_ERROR_MESSAGES, ...VIEW_ERROR_MESSAGES }[code]?.("the value");
    // A second connect() has nothing to name but itself: a channel prints as [object Object].
    expect(sentence).toContain(code === "connected" ? "connect()" : "the value");
    expect(sentence).toMatch(/\.$/);
  });

  test("stands alone: neither headings nor sentences are left over", () => {
    const codes = [...peerCodes, ...viewCodes].sort();
    expect([...sections.keys()].sort()).toEqual(codes);
    expect(Object.keys({ ...PEER_ERROR_MESSAGES, ...VIEW_ERROR_MESSAGES }).sort()).toEqual(codes);
  });
});

describe("a production message", () => {
  const anchor = (error: unknown): string | undefined =>
    /^errors\.md#([a-z-]+): /.exec((error as Error).message)?.[1];

  test.each([...peerCodes, ...viewCodes])("of %s points to its heading", (code) => {
    expect(sections.has(anchor(new LocalError(code, "x")) ?? "")).toBe(true);
  });

  test("points to a heading when an App makes it", async () => {
    const host = new ScriptedHost({ hostContext: { availableDisplayModes: ["inline"] } });
    const app = new App({ name: "test", version: "1.0.0" }, {}, { autoResize: false });
    const thrown: unknown[] = [];
    const keep = (error: unknown): void => void thrown.push(error);
    await app.sendLog({ level: "info", data: "early" }).catch(keep);
    await app.connect(host.view);
    await app.connect(host.view).catch(keep);
    await app.callServerTool("search" as never).catch(keep);
    await app.requestDisplayMode({ mode: "pip" }).catch(keep);
    await app.createSamplingMessage({ messages: [], maxTokens: 1 }).catch(keep);
    app.registerTool("t", {}, () => ({ content: [] }));
    expect(() => app.registerTool("t", {}, () => ({ content: [] }))).toThrow("tool-exists");
    expect(thrown.map(anchor)).toEqual([
      "not-connected",
      "connected",
      "positional",
      "no-mode",
      "no-sampling",
    ]);
    for (const error of thrown) expect(sections.has(anchor(error) ?? "")).toBe(true);
  });
});
