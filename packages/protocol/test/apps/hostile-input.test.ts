import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  clampSize,
  copyJson,
  decideLink,
  decideMethod,
  decideSize,
  decideToolCall,
  describeMismatch,
  downloadName,
  findMethod,
  isAppMimeType,
  isPrivateHost,
  isStyleVariable,
  LIMITS,
  type Session,
  type ToolLike,
  toolResourceUri,
  toolVisibility,
  validateMeta,
} from "../../src/apps/index.ts";

// Whatever arrives, a decision is a decision and never an exception, and its words stay short.

const runs = { seed: 1865, numRuns: 1000 };
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
});
const names = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "then"),
);

describe("hostile input", () => {
  test("does not break the method policy", () => {
    const sessions = fc.record({
      initialized: fc.boolean(),
      hostCapabilities: anything,
      appCapabilities: anything,
    }) as fc.Arbitrary<Session>;
    const methods = fc.oneof(
      names,
      fc.constantFrom("tools/call", "ui/open-link", "sampling/createMessage"),
    );
    fc.assert(
      fc.property(methods, anything, sessions, (method, params, session) => {
        const decision = decideMethod({ from: "view", method, kind: "request", params }, session);
        if (!decision.allow) expect(decision.reason.length).toBeLessThan(600);
      }),
      runs,
    );
  });

  test("does not break the policy for tools", () => {
    fc.assert(
      fc.property(names, anything, anything, (name, meta, ui) => {
        for (const _meta of [meta, { ui }, { ui: { visibility: ui, resourceUri: ui } }]) {
          const tool: ToolLike = { name, _meta };
          expect(toolVisibility(tool).every((party) => party === "model" || party === "app")).toBe(
            true,
          );
          const { uri } = toolResourceUri(tool);
          if (uri !== undefined) expect(uri.startsWith("ui://")).toBe(true);
          decideToolCall({ name, tool, server: "a", viewServer: "a" });
        }
      }),
      runs,
    );
  });

  test("does not break what reads a single value", () => {
    fc.assert(
      fc.property(anything, names, (value, name) => {
        expect(typeof decideLink(value).allow).toBe("boolean");
        expect(typeof isAppMimeType(value)).toBe("boolean");
        expect(typeof isStyleVariable(value)).toBe("boolean");
        expect(typeof decideSize(value, LIMITS.fromView).allow).toBe("boolean");
        expect(typeof copyJson(value, LIMITS.toView).ok).toBe("boolean");
        expect(typeof isPrivateHost(name)).toBe("boolean");
        expect(downloadName(name)).not.toBe("");
        expect(findMethod("view", name)).toBeUndefined();
        const { width = 0, height = 0 } = clampSize({ width: value, height: value });
        expect(Math.max(width, height)).toBeLessThanOrEqual(LIMITS.axis);
      }),
      runs,
    );
  });

  test("is described in short sentences", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const validation = validateMeta(
          "resource",
          { csp: value, permissions: value },
          { strict: true },
        );
        if (!validation.ok) expect(describeMismatch(validation).length).toBeLessThan(400);
      }),
      runs,
    );
  });

  test("leaves Object.prototype as it was", () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const value = JSON.parse(
      '{ "__proto__": { "a": 1 }, "constructor": { "prototype": { "a": 1 } } }',
    );
    copyJson(value, LIMITS.fromView);
    validateMeta("resource", value);
    toolVisibility({ name: "t", _meta: value });
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});
