import { describe, expect, test } from "vitest";
import { describeMismatch, type Mismatch } from "../../src/apps/mismatch.ts";
import { validateMeta, validateResult } from "../../src/apps/validate.ts";

const initialized = {
  protocolVersion: "2026-01-26",
  hostInfo: { name: "host", version: "1.0.0" },
  hostCapabilities: {},
  hostContext: {},
};
const text = { type: "text", text: "hello" };

function sentence(validation: { ok: true } | Mismatch): string {
  return validation.ok ? "accepted" : describeMismatch(validation);
}

describe("a result", () => {
  test.each<[string, unknown]>([
    ["ui/initialize", initialized],
    ["ui/initialize", { ...initialized, extra: 1, hostContext: { "vendor/x": 1 } }],
    ["ui/open-link", {}],
    ["ui/open-link", { isError: true, why: "policy" }],
    ["ui/message", {}],
    ["ui/download-file", { isError: false }],
    ["ui/update-model-context", {}],
    ["ui/request-display-mode", { mode: "inline" }],
    ["ui/resource-teardown", { anything: [1] }],
    ["tools/call", { content: [], structuredContent: [1], isError: true }],
    ["tools/list", { tools: [{ name: "t", inputSchema: { type: "object" } }], ttlMs: 5 }],
    ["resources/read", { contents: [{ uri: "ui://a", text: "" }] }],
    ["resources/list", { resources: [{ uri: "ui://a", name: "a" }] }],
    ["resources/templates/list", { resourceTemplates: [{ uriTemplate: "a/{b}", name: "a" }] }],
    ["prompts/list", { prompts: [{ name: "p", arguments: [{ name: "a" }] }] }],
    ["sampling/createMessage", { model: "m", role: "assistant", content: text }],
    ["ping", {}],
  ])("of %s is accepted", (method, result) => {
    expect(sentence(validateResult(method, result, { strict: true }))).toBe("accepted");
    expect(sentence(validateResult(method, result))).toBe("accepted");
  });

  test.each<[string, unknown, string]>([
    [
      "ui/initialize",
      { ...initialized, hostContext: undefined },
      "result.hostContext: expected an object, received nothing",
    ],
    [
      "ui/initialize",
      { ...initialized, hostCapabilities: { openLinks: true } },
      "result.hostCapabilities.openLinks: expected an object, received true",
    ],
    [
      "ui/open-link",
      { isError: "yes" },
      'result.isError: expected true or false, received the string "yes"',
    ],
    [
      "ui/request-display-mode",
      {},
      'result.mode: expected "inline" or "fullscreen" or "pip", received nothing',
    ],
    ["ui/resource-teardown", null, "result: expected an object, received null"],
    ["tools/call", undefined, "result: expected an object, received nothing"],
    [
      "tools/list",
      { tools: [{ name: "t" }] },
      "result.tools[0].inputSchema: expected an object, received nothing",
    ],
    [
      "tools/list",
      { tools: [{ name: "t", inputSchema: { type: "array" } }] },
      'result.tools[0].inputSchema.type: expected "object", received the string "array"',
    ],
    [
      "resources/list",
      { resources: [{ uri: "a", name: "a", annotations: { priority: 2 } }] },
      "result.resources[0].annotations.priority: expected a finite number from 0 to 1, received the number 2",
    ],
    [
      "resources/list",
      { resources: [{ uri: "a", name: "a", annotations: { lastModified: "yesterday" } }] },
      'result.resources[0].annotations.lastModified: expected a date and time such as 2026-01-26T12:00:00Z, received the string "yesterday"',
    ],
    [
      "ui/notifications/initialized",
      {},
      "method: expected the name of a request, received a string of 28 characters",
    ],
    ["toString", {}, 'method: expected the name of a request, received the string "toString"'],
  ])("of %s is refused in words", (method, result, words) => {
    expect(sentence(validateResult(method, result))).toBe(words);
  });
});

describe("metadata", () => {
  test("of a resource, a tool and a Host is checked like any message", () => {
    expect(validateMeta("resource", { csp: { connectDomains: ["https://a.example"] } }).ok).toBe(
      true,
    );
    expect(validateMeta("tool", { resourceUri: "ui://a", visibility: ["app"] }).ok).toBe(true);
    expect(validateMeta("client", { mimeTypes: ["text/html;profile=mcp-app"] }).ok).toBe(true);
    expect(sentence(validateMeta("resource", { csp: { connectDomains: "*" } }))).toBe(
      'resource.csp.connectDomains: expected an array, received the string "*"',
    );
    expect(sentence(validateMeta("tool", { visibility: ["admin"] }))).toBe(
      'tool.visibility[0]: expected "model" or "app", received the string "admin"',
    );
    expect(sentence(validateMeta("resource", { permissions: { usb: {} } }, { strict: true }))).toBe(
      "resource.permissions.usb: expected no such key, received an object",
    );
  });
});

describe("a date", () => {
  const resource = (lastModified: string) => ({
    resources: [{ uri: "ui://a", name: "a", annotations: { lastModified } }],
  });

  test.each([
    "2026-01-26T12:00:00Z",
    "2026-01-26T12:00:00.5Z",
    "2026-01-26T12:00:00.123456789+05:30",
    "2024-02-29T00:00:00Z",
    "2000-02-29T00:00:00Z",
    "0000-02-29T00:00:00Z",
    "2026-12-31T23:59:59-23:59",
    "2026-04-30T00:00:00Z",
    "2026-07-31T00:00:00Z",
    "2026-08-31T00:00:00Z",
  ])("may be %s", (date) => {
    expect(validateResult("resources/list", resource(date)).ok).toBe(true);
  });

  test.each([
    "",
    "2026-01-26",
    "2026-01-26T12:00Z",
    "2026-01-26T12:00:00",
    "2026-01-26 12:00:00Z",
    "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-32T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-06-31T00:00:00Z",
    "2026-09-31T00:00:00Z",
    "2026-11-31T00:00:00Z",
    "2026-01-26T24:00:00Z",
    "2026-01-26T12:60:00Z",
    "2026-01-26T12:00:60Z",
    "2026-01-26T12:00:00+24:00",
    "2026-01-26T12:00:00+01:60",
    "2026-01-26T12:00:00.Z",
    "2026-01-26T12:00:00Z ",
    "２０２６-01-26T12:00:00Z",
  ])("may not be %j", (date) => {
    expect(validateResult("resources/list", resource(date)).ok).toBe(false);
  });
});
