import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { CallToolResult, McpUiHostContext } from "../../src/apps/index.ts";
import { describeMismatch, type Mismatch } from "../../src/apps/mismatch.ts";
import {
  validateMeta,
  validateNotification,
  validateRequest,
  validateResult,
} from "../../src/apps/validate.ts";

function sentence(validation: { ok: true } | Mismatch): string {
  return validation.ok ? "accepted" : describeMismatch(validation);
}

describe("a refusal", () => {
  test("never repeats a payload", () => {
    const secret = "s3cr3t-".repeat(1000);
    const words = sentence(validateRequest("view", "ui/message", { role: secret, content: [] }));
    expect(words).toBe('params.role: expected "user", received a string of 7000 characters');
  });

  test("shortens hostile keys and long paths", () => {
    const key = "k".repeat(5000);
    const words = sentence(validateMeta("resource", { [key]: 1 }, { strict: true }));
    expect(words).toBe(
      `resource["${"k".repeat(24)}…"]: expected no such key, received the number 1`,
    );
    const deep = { arguments: [{ "a\nb": 1n }] };
    expect(sentence(validateRequest("view", "tools/call", deep))).toBe(
      'params.arguments[0]["a\\nb"]: expected a value JSON can carry, received a bigint',
    );
    let nested: unknown = 1n;
    for (let level = 0; level < 40; level += 1) nested = { abcdefghij: nested };
    expect(sentence(validateRequest("view", "tools/call", nested)).length).toBeLessThan(260);
  });

  test.each([
    [
      { depth: 3, values: 100, size: 1000 },
      "params.arguments.a.b: expected at most 3 levels, and no cycles, received an object",
    ],
    [
      { depth: 64, values: 4, size: 1000 },
      "params.arguments.a.b: expected at most 4 values, received an object",
    ],
    [
      { depth: 64, values: 100, size: 20 },
      "params.arguments.a: expected at most 20 characters, received an object",
    ],
  ])("names the limit %j", (limits, words) => {
    const params = { name: "tool", arguments: { a: { b: { c: 1 } } } };
    expect(sentence(validateRequest("view", "tools/call", params, { limits }))).toBe(words);
  });

  test("is all that a throwing getter achieves", () => {
    const params = {
      get name() {
        throw new Error("boo");
      },
    };
    expect(sentence(validateRequest("view", "tools/call", params))).toBe(
      "params.name: expected a value that can be read without an exception, received nothing",
    );
  });
});

test("nothing at all makes validation throw", () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSparseArray: true,
    withTypedArray: true,
    withNullPrototype: true,
  });
  const methods = ["ui/initialize", "ui/message", "tools/call", "ui/notifications/tool-result"];
  fc.assert(
    fc.property(fc.constantFrom(...methods), anything, fc.boolean(), (method, params, strict) => {
      const options = { strict };
      expect(typeof validateRequest("view", method, params, options).ok).toBe("boolean");
      expect(typeof validateNotification("host", method, params, options).ok).toBe("boolean");
      expect(typeof validateResult(method, params, options).ok).toBe("boolean");
    }),
    { seed: 1865, numRuns: 1000 },
  );
});

test("a known method has typed params and results, any other has unknown ones", () => {
  const call = validateRequest("view", "tools/call", {});
  if (call.ok) expectTypeOf(call.value.name).toEqualTypeOf<string>();
  const context = validateNotification("host", "ui/notifications/host-context-changed", {});
  if (context.ok) expectTypeOf(context.value).toEqualTypeOf<McpUiHostContext>();
  const result = validateResult("tools/call", {});
  if (result.ok) expectTypeOf(result.value).toEqualTypeOf<CallToolResult>();
  const other = validateRequest("view", "x/y" as string, {});
  if (other.ok) expectTypeOf(other.value).toEqualTypeOf<unknown>();
});
