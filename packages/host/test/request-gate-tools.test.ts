import type { Tool } from "@vitrine/protocol/apps";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppBridge } from "../src/bridge/bridge.ts";
import { catalogueOf } from "../src/resources/tool-catalogue.ts";
import { RawView } from "./raw-view.ts";
import { scriptedUpstream } from "./scripted-upstream.ts";

// Few names, so that some Servers list one twice; visibility of every kind, well formed or not.
const visibility = fc.oneof(
  fc.constant(undefined),
  fc.subarray(["model", "app", "root", "App"]),
  fc.constantFrom("app", "model", null, {}, 7, ["app", 1], true),
);
const tools: fc.Arbitrary<Tool[]> = fc.array(
  fc
    .record({ name: fc.constantFrom("a", "b", "c", "__proto__", "toString"), visibility })
    .map(({ name, visibility: declared }) => ({
      name,
      inputSchema: { type: "object" as const },
      annotations: { readOnlyHint: true },
      ...(declared !== undefined && { _meta: { ui: { visibility: declared } } }),
    })),
  { maxLength: 6 },
);
const NAMES = ["a", "b", "c", "d", "__proto__", "toString"];

async function session(
  given: Tool[],
  byHandler: boolean,
): Promise<{ view: RawView; calls: () => string[]; close: () => Promise<void> }> {
  const called: string[] = [];
  const upstream = scriptedUpstream({
    tools: byHandler ? [] : given,
    answer: ({ params }) => {
      called.push(String(params.name));
      return { content: [] };
    },
  });
  const bridge = new AppBridge(upstream, { name: "h", version: "1" });
  if (byHandler) bridge.onlisttools = () => ({ tools: given });
  const view = new RawView();
  await bridge.connect(view.hostEnd);
  await view.start();
  return { view, calls: () => called, close: () => bridge.close() };
}

describe("for every list of tools", () => {
  test("a View can list exactly the tools that it can call (HST-09, HST-11)", async () => {
    await fc.assert(
      fc.asyncProperty(tools, fc.boolean(), async (given, byHandler) => {
        const { view, calls, close } = await session(given, byHandler);
        const listed = ((await view.get("tools/list")).tools as Tool[]).map(({ name }) => name);
        expect(new Set(listed).size).toBe(listed.length);
        for (const name of NAMES) {
          const before = calls().length;
          const { error } = await view.ask("tools/call", { name });
          expect([name, !error]).toEqual([name, listed.includes(name)]);
          expect(calls().length - before).toBe(error ? 0 : 1);
        }
        await close();
      }),
      { numRuns: 150 },
    );
  });

  test('a model gets only tools whose visibility includes "model" or is omitted (HST-08)', async () => {
    await fc.assert(
      fc.asyncProperty(tools, async (given) => {
        const forModel = await catalogueOf(scriptedUpstream({ tools: given })).forModel();
        const expected = given.filter((tool) => {
          const declared = (tool._meta as { ui?: { visibility?: unknown } } | undefined)?.ui
            ?.visibility;
          return declared === undefined || (Array.isArray(declared) && declared.includes("model"));
        });
        expect(forModel).toEqual(expected);
      }),
    );
  });
});
