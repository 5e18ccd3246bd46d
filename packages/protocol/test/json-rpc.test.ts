import {
  isJsonRpcNotification,
  isJsonRpcRequest,
  isJsonRpcResponse,
  isRequestId,
} from "@vitrine/protocol";
import { describe, expect, test } from "vitest";

const request = { jsonrpc: "2.0", id: 1, method: "m" };
const notification = { jsonrpc: "2.0", method: "m" };
const result = { jsonrpc: "2.0", id: 1, result: {} };
const error = { jsonrpc: "2.0", id: 1, error: { code: -1, message: "no" } };

describe("request ids", () => {
  test.each([0, 1, -1, 1.5, "", "0", "a", Number.MAX_SAFE_INTEGER])("%j is an id", (id) => {
    expect(isRequestId(id)).toBe(true);
  });

  test.each([null, undefined, Number.NaN, Number.POSITIVE_INFINITY, true, {}, [], 1n, Symbol("x")])(
    "%s is none",
    (id) => {
      expect(isRequestId(id)).toBe(false);
    },
  );
});

describe("each message is of one kind only", () => {
  const kinds = {
    request: isJsonRpcRequest,
    notification: isJsonRpcNotification,
    response: isJsonRpcResponse,
  };
  test.each([
    ["request", request],
    ["request", { ...request, id: 0 }],
    ["request", { ...request, id: "x", params: [] }],
    ["notification", notification],
    ["notification", { ...notification, id: undefined }],
    ["response", result],
    ["response", { ...result, id: 0, result: null }],
    ["response", error],
    ["response", { ...error, id: null }],
  ] as const)("a %s: %j", (kind, message) => {
    for (const [name, guard] of Object.entries(kinds)) {
      expect(guard(message), name).toBe(name === kind);
    }
  });
});

describe("values that aren't messages", () => {
  test.each([
    null,
    undefined,
    0,
    "text",
    [],
    {},
    { jsonrpc: "1.0", id: 1, method: "m" },
    { jsonrpc: 2, id: 1, method: "m" },
    { jsonrpc: "2.0" },
    { jsonrpc: "2.0", id: 1 },
    { jsonrpc: "2.0", id: null, result: {} },
    { jsonrpc: "2.0", id: {}, method: "m" },
    { jsonrpc: "2.0", id: 1, method: 7 },
    { jsonrpc: "2.0", id: 1, error: "text" },
    { jsonrpc: "2.0", id: 1, error: { code: 1.5, message: "x" } },
    { jsonrpc: "2.0", id: 1, error: { code: 1 } },
    { jsonrpc: "2.0", id: 1, error: null },
  ])("%j passes no guard", (value) => {
    expect(isJsonRpcRequest(value)).toBe(false);
    expect(isJsonRpcNotification(value)).toBe(false);
    expect(isJsonRpcResponse(value)).toBe(false);
  });

  test("a message that inherits its members is none", () => {
    // structuredClone and JSON.parse make plain objects; a prototype means somebody played with it.
    expect(isJsonRpcRequest(Object.create(null))).toBe(false);
  });
});
