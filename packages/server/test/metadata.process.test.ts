// Hosts define metadata keys of their own. What an author writes has to arrive unchanged.

import { defineApp } from "@vitrine/server";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SERVERS } from "./in-memory.ts";

const PAGE = "<!doctype html><title>Cart</title><p>Cart</p>";

// Keys of the protocol itself belong to the SDK.
const key = fc
  .tuple(
    fc.constantFrom("openai/", "acme.example/", ""),
    fc.stringMatching(/^[A-Za-z][\w-]{0,20}$/),
  )
  .map(([prefix, name]) => prefix + name)
  .filter((name) => !/^(ui$|ui\/|progressToken|__proto__)/.test(name));
const json = fc
  .jsonValue({ maxDepth: 3 })
  // `-0` isn't kept by JSON.
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const meta = fc.dictionary(key, json, { maxKeys: 5, noNullPrototype: true });

describe.each(SERVERS)("$title", ({ connect }) => {
  test("metadata of tool, resource and result arrives unchanged in list, read and call", {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(meta, meta, meta, async (ofTool, ofResource, ofResult) => {
        const app = defineApp({
          name: "cart",
          _meta: ofResource,
          tool: {
            _meta: { ...ofTool, ui: { "acme.example/note": 1 } },
            handler: () => ({ text: "Two items", data: { items: 2 }, _meta: ofResult }),
          },
          view: PAGE,
          prefersBorder: true,
          warn: () => {},
        });
        const client = await connect((server) => app.register(server));
        try {
          const { tools } = await client.listTools();
          expect(tools[0]?._meta).toEqual({
            ...ofTool,
            ui: { resourceUri: app.uri, "acme.example/note": 1 },
            "ui/resourceUri": app.uri,
          });
          const expected = { ...ofResource, ui: { prefersBorder: true } };
          const { resources } = await client.listResources();
          expect(resources[0]?._meta).toEqual(expected);
          const { contents } = await client.readResource({ uri: app.uri });
          expect(contents[0]?._meta).toEqual(expected);
          const result = await client.callTool({ name: "cart", arguments: {} });
          // A server of 2026-07-28 adds its name.
          for (const [name, value] of Object.entries(ofResult)) {
            expect(result._meta?.[name]).toEqual(value);
          }
        } finally {
          await client.close();
        }
      }),
      { numRuns: 40 },
    );
  });
});

test("metadata of a resource can't replace the declarations of its view", () => {
  const define = () =>
    defineApp({
      name: "cart",
      _meta: { ui: { csp: { connectDomains: ["https://evil.example"] } } },
      tool: { handler: () => ({ text: "Two items" }) },
      view: PAGE,
    });
  expect(define).toThrow(/directly/);
});
