import { describe, expect, test } from "vitest";
import { describeMismatch, type Mismatch } from "../../src/apps/mismatch.ts";
import { validateNotification, validateRequest } from "../../src/apps/validate.ts";

const initialize = {
  protocolVersion: "2026-01-26",
  appInfo: { name: "clock", version: "1.0.0" },
  appCapabilities: {},
};
const text = { type: "text", text: "hello" };
const file = { type: "resource", resource: { uri: "file:///a.txt", text: "a" } };

function sentence(validation: { ok: true } | Mismatch): string {
  return validation.ok ? "accepted" : describeMismatch(validation);
}

describe("a request of a View", () => {
  test.each<[string, unknown]>([
    ["ui/initialize", initialize],
    ["ui/open-link", { url: "https://example.com" }],
    ["ui/message", { role: "user", content: [text] }],
    ["ui/message", { role: "user", content: [] }],
    ["ui/update-model-context", {}],
    ["ui/update-model-context", { content: [text], structuredContent: { a: 1 } }],
    ["ui/request-display-mode", { mode: "pip" }],
    [
      "ui/download-file",
      { contents: [file, { type: "resource_link", name: "b", uri: "file:///b" }] },
    ],
    ["tools/call", { name: "refresh" }],
    ["tools/call", { name: "refresh", arguments: { a: null }, _meta: { progressToken: 0 } }],
    ["tools/list", undefined],
    ["tools/list", { cursor: "2" }],
    ["resources/read", { uri: "ui://clock/face" }],
    ["resources/list", undefined],
    ["resources/templates/list", {}],
    ["prompts/list", {}],
    ["sampling/createMessage", { messages: [{ role: "user", content: text }], maxTokens: 100 }],
    ["sampling/createMessage", { messages: [{ role: "user", content: [text] }], maxTokens: 100 }],
    ["ping", undefined],
    ["ping", {}],
  ])("named %s is accepted, strictly and leniently", (method, params) => {
    expect(sentence(validateRequest("view", method, params))).toBe("accepted");
    expect(sentence(validateRequest("view", method, params, { strict: true }))).toBe("accepted");
  });

  test.each<[string, unknown, string]>([
    ["ui/initialize", undefined, "params: expected an object, received nothing"],
    [
      "ui/initialize",
      { ...initialize, appInfo: undefined },
      "params.appInfo: expected an object, received nothing",
    ],
    [
      "ui/initialize",
      { ...initialize, appCapabilities: { tools: true } },
      "params.appCapabilities.tools: expected an object, received true",
    ],
    [
      "ui/open-link",
      "https://example.com",
      'params: expected an object, received the string "https://example.com"',
    ],
    [
      "ui/open-link",
      { url: new URL("https://example.com") },
      "params.url: expected a value JSON can carry, received an object",
    ],
    [
      "ui/message",
      { role: "assistant", content: [] },
      'params.role: expected "user", received the string "assistant"',
    ],
    [
      "ui/message",
      { role: "user", content: text },
      "params.content: expected an array, received an object",
    ],
    [
      "ui/message",
      { role: "user", content: [text, { type: "video" }] },
      'params.content[1].type: expected "text" or "image" or "audio" or "resource_link" or "resource", received the string "video"',
    ],
    [
      "ui/message",
      { role: "user", content: [{ type: "text" }] },
      "params.content[0].text: expected a string, received nothing",
    ],
    [
      "ui/update-model-context",
      { structuredContent: [] },
      "params.structuredContent: expected an object, received an array",
    ],
    [
      "ui/request-display-mode",
      { mode: "split" },
      'params.mode: expected "inline" or "fullscreen" or "pip", received the string "split"',
    ],
    [
      "ui/download-file",
      { contents: [text] },
      'params.contents[0].type: expected "resource_link" or "resource", received the string "text"',
    ],
    [
      "ui/download-file",
      { contents: [{ type: "resource", resource: { uri: "a:b" } }] },
      "params.contents[0].resource: expected resource contents with `uri` and either `text` or `blob`, received an object",
    ],
    ["tools/call", { arguments: {} }, "params.name: expected a string, received nothing"],
    [
      "tools/call",
      { name: "t", arguments: null },
      "params.arguments: expected an object, received null",
    ],
    [
      "tools/call",
      { name: "t", _meta: { progressToken: 1.5 } },
      "params._meta.progressToken: expected a string or an integer, received the number 1.5",
    ],
    [
      "sampling/createMessage",
      { messages: [], maxTokens: 1.5 },
      "params.maxTokens: expected an integer, received the number 1.5",
    ],
    ["resources/read", {}, "params.uri: expected a string, received nothing"],
    [
      "ui/resource-teardown",
      {},
      'method: expected the name of a request a view may send, received the string "ui/resource-teardown"',
    ],
    [
      "ui/notifications/initialized",
      {},
      "method: expected the name of a request a view may send, received a string of 28 characters",
    ],
    [
      "__proto__",
      {},
      'method: expected the name of a request a view may send, received the string "__proto__"',
    ],
  ])("named %s with %j is refused in words", (method, params, words) => {
    expect(sentence(validateRequest("view", method, params))).toBe(words);
  });

  test("keeps keys we do not know, unless read strictly", () => {
    const params = { url: "https://example.com", _meta: { progressToken: 1 } };
    expect(validateRequest("view", "ui/open-link", params)).toEqual({
      ok: true,
      value: params,
    });
    expect(sentence(validateRequest("view", "ui/open-link", params, { strict: true }))).toBe(
      "params._meta: expected no such key, received an object",
    );
  });
});

describe("a notification", () => {
  test.each<["view" | "host" | "sandbox", string, unknown]>([
    ["view", "ui/notifications/initialized", undefined],
    ["view", "ui/notifications/initialized", {}],
    ["view", "ui/notifications/size-changed", { width: 1, height: 2.5 }],
    ["view", "ui/notifications/request-teardown", undefined],
    ["view", "notifications/message", { level: "info", data: null }],
    ["view", "notifications/tools/list_changed", undefined],
    ["view", "notifications/progress", { progressToken: 0, progress: 1 }],
    ["view", "notifications/cancelled", { requestId: 0 }],
    ["host", "ui/notifications/tool-input", {}],
    ["host", "ui/notifications/tool-input", { arguments: {} }],
    ["host", "ui/notifications/tool-input-partial", { arguments: { half: "wo" } }],
    ["host", "ui/notifications/tool-result", { content: [text], vendor: 1 }],
    ["host", "ui/notifications/tool-cancelled", { reason: "timeout" }],
    ["host", "ui/notifications/host-context-changed", { theme: "dark", "vendor/x": 1 }],
    [
      "host",
      "ui/notifications/sandbox-resource-ready",
      { html: "<p>", csp: { connectDomains: [] } },
    ],
    ["sandbox", "ui/notifications/sandbox-proxy-ready", {}],
  ])("of the %s named %s is accepted", (from, method, params) => {
    expect(sentence(validateNotification(from, method, params, { strict: true }))).toBe("accepted");
    expect(sentence(validateNotification(from, method, params))).toBe("accepted");
  });

  test.each<["view" | "host" | "sandbox", string, unknown, string]>([
    [
      "view",
      "ui/notifications/size-changed",
      { width: Number.NaN },
      "params.width: expected a finite number, received the number NaN",
    ],
    [
      "view",
      "ui/notifications/size-changed",
      { height: "9" },
      'params.height: expected a finite number, received the string "9"',
    ],
    [
      "view",
      "notifications/message",
      { level: "loud", data: 1 },
      'params.level: expected "debug" or "info" or "notice" or "warning" or "error" or "critical" or "alert" or "emergency", received the string "loud"',
    ],
    [
      "view",
      "notifications/message",
      { level: "info" },
      "params.data: expected a value, received nothing",
    ],
    [
      "host",
      "ui/notifications/tool-input",
      { arguments: null },
      "params.arguments: expected an object, received null",
    ],
    [
      "host",
      "ui/notifications/host-context-changed",
      { theme: "sepia" },
      'params.theme: expected "light" or "dark", received the string "sepia"',
    ],
    [
      "host",
      "ui/notifications/host-context-changed",
      { locale: null },
      "params.locale: expected a string, received null",
    ],
    [
      "host",
      "ui/notifications/sandbox-resource-ready",
      {},
      "params.html: expected a string, received nothing",
    ],
    [
      "view",
      "ui/notifications/sandbox-proxy-ready",
      {},
      "method: expected the name of a notification a view may send, received a string of 36 characters",
    ],
    [
      "sandbox",
      "tools/call",
      {},
      'method: expected the name of a notification a sandbox may send, received the string "tools/call"',
    ],
  ])("of the %s named %s with %j is refused in words", (from, method, params, words) => {
    expect(sentence(validateNotification(from, method, params))).toBe(words);
  });

  // The schema wants an object here; senders in the field forget it.
  test.each<["view" | "host", "request" | "notification", string]>([
    ["view", "notification", "ui/notifications/size-changed"],
    ["host", "notification", "ui/notifications/tool-cancelled"],
    ["host", "request", "ui/resource-teardown"],
  ])(
    "or request of the %s (%s %s) may leave out its params, unless read strictly",
    (from, kind, method) => {
      const validate = kind === "request" ? validateRequest : validateNotification;
      expect(validate(from, method, undefined)).toMatchObject({ ok: true, value: {} });
      expect(validate(from, method, undefined, { strict: true })).toMatchObject({
        ok: false,
        path: "params",
      });
      expect(validate(from, method, null)).toMatchObject({ ok: false, path: "params" });
    },
  );

  test("gives a tool result without content an empty one", () => {
    const validation = validateNotification("host", "ui/notifications/tool-result", {
      isError: true,
    });
    expect(validation).toMatchObject({ ok: true, value: { isError: true, content: [] } });
  });

  test("gives missing safe area sides a zero", () => {
    const params = { safeAreaInsets: { top: 20 } };
    const validation = validateNotification(
      "host",
      "ui/notifications/host-context-changed",
      params,
    );
    expect(validation).toMatchObject({
      value: { safeAreaInsets: { top: 20, right: 0, bottom: 0, left: 0 } },
    });
    expect(params).toEqual({ safeAreaInsets: { top: 20 } });
  });
});
