import * as official from "ext-apps-v2";
import { describe, expect, test } from "vitest";
import * as plain from "../../src/apps/constants.ts";
import * as methodNames from "../../src/apps/method-names.ts";
import { METHODS } from "../../src/apps/methods.ts";

const constants = { ...plain, ...methodNames };
const ours = Object.entries(constants);
const methods = ours.filter(([name]) => name.endsWith("_METHOD"));

describe("the constants", () => {
  test("have the names and values of the official ones", () => {
    const theirs = Object.entries(official).filter(([name]) => /^[A-Z_]+$/.test(name));
    expect(theirs.length).toBeGreaterThanOrEqual(18);
    expect(Object.fromEntries(ours)).toMatchObject(Object.fromEntries(theirs));
  });

  test("name every method of the table except the plumbing of JSON-RPC", () => {
    const plumbing = ["notifications/cancelled", "notifications/progress"];
    const table = new Set(METHODS.map((rule) => rule.method));
    expect(new Set([...methods.map(([, value]) => value), ...plumbing])).toEqual(table);
  });

  test("give each method one name", () => {
    expect(new Set(methods.map(([, value]) => value)).size).toBe(methods.length);
  });

  test("support the latest protocol first", () => {
    expect(constants.SUPPORTED_PROTOCOL_VERSIONS[0]).toBe(constants.LATEST_PROTOCOL_VERSION);
  });

  test.each([
    ["EXTENSION_ID", "io.modelcontextprotocol/ui"],
    ["UI_SCHEME", "ui://"],
    ["RESOURCE_MIME_TYPE", "text/html;profile=mcp-app"],
    ["RESOURCE_URI_META_KEY", "ui/resourceUri"],
    ["LATEST_PROTOCOL_VERSION", "2026-01-26"],
    ["SANDBOX_METHOD_PREFIX", "ui/notifications/sandbox-"],
  ] as const)("spell %s as %s", (name, value) => {
    expect(Object.fromEntries(ours)[name]).toBe(value);
  });
});
