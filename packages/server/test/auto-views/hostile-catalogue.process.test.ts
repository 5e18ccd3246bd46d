import { processorTime } from "@vitrine/internal/processor-time";
import type { Tool } from "@vitrine/protocol/apps";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { autoViews } from "../../src/auto-views/index.ts";
import { checkUiUri } from "../../src/ui-uri.ts";

const tool = (more: Partial<Tool>): Tool => ({
  name: "search",
  inputSchema: { type: "object", properties: { query: { type: "string" } } },
  ...more,
});

describe("whatever a catalogue holds", () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const schema = fc.oneof(
    json,
    fc.constantFrom<unknown>(
      {
        type: "object",
        properties: { a: { $ref: "#" }, children: { type: "array", items: { $ref: "#" } } },
      },
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"array","items":{"type":"object","properties":{"constructor":{"type":"string"}}}}}}',
      ),
      { type: "object", properties: { "</script><script>alert(1)</script>": { type: "string" } } },
      {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 400 }, (_, at) => [`${at}${"x".repeat(500)}`, {}]),
        ),
      },
      { allOf: Array.from({ length: 50 }, () => ({ anyOf: [{ type: "null" }, { $ref: "#" }] })) },
    ),
  );
  const anyTool = fc.record(
    {
      name: fc.oneof(
        fc.string(),
        fc.constantFrom("__proto__", "constructor", "a", "../x", "\ud800"),
      ),
      title: fc.oneof(fc.string(), json),
      description: json,
      inputSchema: fc.oneof(
        schema,
        fc.constant({ type: "object", properties: { q: { type: "string" } } }),
      ),
      outputSchema: schema,
      annotations: fc.oneof(json, fc.record({ readOnlyHint: fc.boolean() })),
      _meta: fc.oneof(
        json,
        fc.constant(undefined),
        fc.record({
          ui: fc.oneof(json, fc.constant({}), fc.constant({ visibility: ["model", "app"] })),
        }),
      ),
    },
    { requiredKeys: [] },
  );
  const catalogue = fc.record({
    server: fc.oneof(fc.record({ name: fc.oneof(fc.string(), json) }), json),
    tools: fc.oneof(fc.array(fc.oneof(anyTool, json), { maxLength: 5 }), json),
  });

  test("names, schemas and annotations stay, nothing is thrown, and twice is once", () => {
    fc.assert(
      fc.property(catalogue, json, (given, answer) => {
        const before = JSON.stringify(given);
        const withViews = autoViews(given as never);
        expect(JSON.stringify(given)).toBe(before);
        const tools = (Array.isArray(given.tools) ? given.tools : []) as Tool[];
        expect(withViews.tools).toHaveLength(tools.length);
        for (const [at, made] of withViews.tools.entries()) {
          const { _meta: _, ...mine } = { ...made };
          const { _meta: __, ...theirs } = { ...tools[at] };
          expect(mine).toEqual(theirs);
        }
        for (const { uri, _meta } of withViews.resources) {
          expect(checkUiUri(uri)).toBe(uri);
          expect(_meta).toEqual({ ui: { prefersBorder: true } });
          const [page] = (withViews.read(uri)?.contents ?? []) as { text: string }[];
          expect(page?.text).not.toContain("<script>alert(1)");
        }
        const again = autoViews({ server: given.server, tools: withViews.tools } as never);
        expect(again.tools).toEqual(withViews.tools);
        expect(again.resources).toEqual([]);
        for (const name of ["a", "__proto__"]) withViews.result(name, answer as never);
      }),
      { numRuns: 300 },
    );
  });

  test("a thousand tools take no page's worth of memory each, and little time", () => {
    const tools = Array.from({ length: 1000 }, (_, at) => tool({ name: `tool-${at}` }));
    autoViews({ server: { name: "s" }, tools: tools.slice(0, 1) });
    const began = processorTime();
    const withViews = autoViews({ server: { name: "s" }, tools });
    expect(processorTime() - began).toBeLessThan(2_000);
    expect(withViews.resources).toHaveLength(1000);
    expect(JSON.stringify(withViews.tools).length).toBeLessThan(400_000);
  });

  test("no origin comes from a schema, and no template that would need one", () => {
    const image = {
      type: "object",
      properties: { src: { type: "string" }, alt: { type: "string" } },
    };
    const outputSchema = {
      type: "object",
      properties: { images: { type: "array", items: image } },
    };
    const { resources } = autoViews({ server: { name: "s" }, tools: [tool({ outputSchema })] });
    expect(resources[0]?._meta).toEqual({ ui: { prefersBorder: true } });
  });
});
