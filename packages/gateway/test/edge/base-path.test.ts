import { expect, test } from "vitest";
import { basePathOf, withoutBasePath } from "../../src/edge/base-path.ts";

test("the base path is the path of the public address", () => {
  expect(basePathOf(undefined)).toBe("");
  expect(basePathOf("https://example.com")).toBe("");
  expect(basePathOf("https://example.com/tools")).toBe("/tools");
});

test.each([
  ["/tools/servers/a/mcp?x=1", "/servers/a/mcp?x=1"],
  ["/tools", "/"],
  ["/tools?x=1", "?x=1"],
  // A proxy that removes the path itself.
  ["/servers/a/mcp", "/servers/a/mcp"],
  // A longer name isn't the base path.
  ["/toolset/servers", "/toolset/servers"],
  ["/.well-known/oauth-protected-resource/tools/mcp", "/.well-known/oauth-protected-resource/mcp"],
  ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp"],
])("the base path is removed from %s", (url, rest) => {
  expect(withoutBasePath(url, "/tools")).toBe(rest);
});
