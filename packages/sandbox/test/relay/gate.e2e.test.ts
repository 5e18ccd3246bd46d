import { beforeAll, describe, expect, test, vi } from "vitest";
import { sandboxFlags } from "../../src/relay/frame.ts";
import { isReserved, judge } from "../../src/relay/gate.ts";
import { RELAY_LIMITS } from "../../src/relay/page-settings.ts";

// The bundler puts it into the script; here it is looked up.
beforeAll(() => vi.stubGlobal("WITHOUT", ""));

const rpc = (message: object): object => ({ jsonrpc: "2.0", ...message });

describe("the gate", () => {
  test.each([
    ["a request with the id 0", { id: 0, method: "tools/call", params: { a: [1, null, "é"] } }],
    ["a notification", { method: "x-vendor/thing" }],
    ["an answer", { id: "a", result: {} }],
    ["an error", { id: 1, error: { code: -32000, message: "no" } }],
  ])("lets %s through as text (SBX-11)", (_what, message) => {
    const verdict = judge(rpc(message), RELAY_LIMITS);
    expect(verdict).toEqual({ text: JSON.stringify(rpc(message)) });
  });

  test("measures what is sent, to the character", () => {
    const limits = { ...RELAY_LIMITS, message: 100 };
    const empty = JSON.stringify(rpc({ params: "" })).length;
    const sized = (length: number, unit = "x") =>
      judge(rpc({ params: unit.repeat(length) }), limits);
    expect(sized(100 - empty)).toHaveProperty("text");
    expect(sized(101 - empty)).toEqual({ refusal: "too-large" });
    // Six characters each once they are JSON.
    expect(sized(Math.floor((100 - empty) / 6), "\0")).toHaveProperty("text");
    expect(sized(100 - empty, "\0")).toEqual({ refusal: "too-large" });
  });

  test("has room for files in ui/download-file alone", () => {
    const params = { text: "x".repeat(2 * 2 ** 20) };
    const refusal = { refusal: "too-large" };
    expect(judge(rpc({ method: "ui/message", params }), RELAY_LIMITS)).toEqual(refusal);
    expect(judge(rpc({ method: "ui/download-file", params }), RELAY_LIMITS)).toHaveProperty("text");
  });

  test("keeps to a list of methods where an operator gives one, answers apart", () => {
    const limits = { ...RELAY_LIMITS, methods: ["ui/initialize"] };
    expect(judge(rpc({ id: 1, method: "ui/initialize" }), limits)).toHaveProperty("text");
    expect(judge(rpc({ id: 1, result: {} }), limits)).toHaveProperty("text");
    expect(judge(rpc({ id: 1, method: "tools/call" }), limits)).toEqual({
      refusal: "method-not-allowed",
    });
  });

  test.each(["ui/notifications/sandbox-proxy-ready", "ui/notifications/sandbox-"])(
    "takes %s for reserved (SBX-12)",
    (method) => {
      expect(judge(rpc({ method }), RELAY_LIMITS)).toEqual({ refusal: "reserved-method" });
      expect(isReserved(rpc({ method }))).toBe(true);
      expect(isReserved(JSON.stringify(rpc({ method })))).toBe(true);
    },
  );

  test.each([
    String.raw`{"method":"ui\/notifications\/sandbox-x"}`,
    String.raw`{"method":"\u0075i/notifications/sandbox-x"}`,
    String.raw`{"method":"ui/notifications/sandbox\u002dx"}`,
    String.raw`{"method":"ui/notifications/s\u0061ndbox-x"}`,
    String.raw`{"method":"ui/notifications/sandbo\u0078-x"}`,
    String.raw`{"\u006dethod":"ui/notifications/sandbox-x"}`,
    `{"method":"x","method":"ui/notifications/sandbox-x"}`,
    ` { "method" : "ui/notifications/sandbox-x" } `,
    `{"method":"ui/notifications/sandbox-x"`,
  ])("takes the text %s for reserved, however it is spelt (SBX-12)", (text) => {
    expect(isReserved(text)).toBe(true);
  });

  test.each([
    `{"method":"ui/notifications/tool-result","params":"ui/notifications/sandbox-x"}`,
    String.raw`{"method":"ui\/notifications\/tool-result"}`,
    `{"params":{"method":"ui/notifications/sandbox-x"}}`,
    `{"method":"ui/notifications/sandbox-x","method":"x"}`,
    `["ui/notifications/sandbox-x"]`,
    `"ui/notifications/sandbox-x"`,
    "not JSON",
    "",
  ])("takes the text %s for nothing of the kind", (text) => {
    expect(isReserved(text)).toBe(false);
  });

  test("does not parse a long text that has nothing to hide", () => {
    const parse = vi.spyOn(JSON, "parse");
    const content = [{ type: "text", text: 'é " \n '.repeat(1000) }];
    expect(isReserved(JSON.stringify(rpc({ id: 1, result: { content } })))).toBe(false);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  test.each([
    null,
    undefined,
    1,
    "x",
    [],
    { method: 1 },
    { method: "ui/notifications/initialized" },
  ])("takes %j for nothing of the kind", (message) => {
    expect(isReserved(message)).toBe(false);
  });
});

describe("the flags of the View's frame (SBX-14)", () => {
  const page = { hosts: [], view: "", origin: "https://a.example", mode: "port" } as const;

  test.each([
    [undefined, "allow-scripts allow-same-origin allow-forms"],
    ["", ""],
    ["allow-scripts", "allow-scripts"],
    ["Allow-Scripts\tallow-forms\n", "allow-scripts allow-forms"],
    ["allow-popups allow-top-navigation-by-user-activation allow-downloads", ""],
  ])("asked for as %j are %j", (sandbox, flags) => {
    expect(sandboxFlags({ ...page, hosts: [], ...(sandbox !== undefined && { sandbox }) })).toEqual(
      flags.split(" ").filter(Boolean),
    );
  });

  test("never include an origin where that would be the Host's", () => {
    const flags = sandboxFlags({
      ...page,
      hosts: [],
      origin: "null",
      sandbox: "allow-same-origin",
    });
    expect(flags).toEqual([]);
  });
});
