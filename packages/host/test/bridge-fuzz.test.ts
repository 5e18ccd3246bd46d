import { METHODS } from "@vitrine/protocol/apps";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AppBridge } from "../src/bridge/bridge.ts";
import { RawView, turn } from "./raw-view.ts";
import { readOnly, scriptedUpstream, tool } from "./scripted-upstream.ts";

// A hostile View: a hundred thousand messages of every broken and of every well-formed kind. Nothing
// may throw into the channel or into the page, reach a prototype, or get past the policy.

const MESSAGES = 100_000;

/** A small deterministic generator, so that a failure can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

type Make = (random: () => number, n: number) => unknown;

const polluting = (): object =>
  JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
const cyclic = (): object => {
  const object: Record<string, unknown> = {};
  object.self = object;
  return object;
};
const wide = new Array(1e6);
const text = { type: "text", text: "hi" };
const methods = [
  ...METHODS.map(({ method }) => method),
  ...METHODS.map(({ method }) => method),
  "__proto__",
  "constructor",
  "vitrine/state",
  "initialize",
  "ui/size-change",
  "sizechange",
  "",
  "x".repeat(5000),
];
const values: Make[] = [
  () => undefined,
  () => null,
  () => 0,
  () => Number.NaN,
  () => "text",
  () => [],
  () => ({}),
  polluting,
  cyclic,
  () => new Map([["a", 1]]),
  () => 10n,
  () => "x".repeat(3000),
  () => wide,
  () => ({
    get name(): never {
      throw new Error("getter");
    },
  }),
];
const params: Make[] = [
  ...values,
  () => ({ name: "free", arguments: polluting() }),
  () => ({ name: "model-only" }),
  () => ({ name: "asked", arguments: {} }),
  () => ({ name: "__proto__" }),
  () => ({ name: "constructor", arguments: cyclic() }),
  () => ({ url: "javascript:alert(1)" }),
  () => ({ url: "https://a.example" }),
  () => ({ role: "user", content: [text] }),
  () => ({ role: "system", content: [text] }),
  () => ({ content: [text], structuredContent: polluting() }),
  () => ({ mode: "fullscreen" }),
  () => ({ contents: [{ type: "resource", resource: { uri: "../../x", text: "y" } }] }),
  () => ({ width: 1e99, height: -1 }),
  () => ({ level: "info", data: polluting() }),
  () => ({ value: polluting() }),
  () => ({
    protocolVersion: "2026-01-26",
    appInfo: { name: "f", version: "1" },
    appCapabilities: {},
  }),
  () => ({ messages: [], maxTokens: 1 }),
  (random) => ({ requestId: Math.floor(random() * 50), reason: polluting() }),
  (random) => ({ progressToken: Math.floor(random() * 5), progress: Number.NaN }),
];
const ids: Make[] = [
  (_random, n) => n,
  (_random, n) => `s${n}`,
  (random) => Math.floor(random() * 20),
  ...values,
];

const pick = <T>(list: readonly T[], random: () => number): T =>
  list[Math.floor(random() * list.length)] as T;

function makeMessage(random: () => number, n: number): unknown {
  const kind = random();
  const value = pick(params, random)(random, n);
  if (kind < 0.05) return pick(values, random)(random, n);
  if (kind < 0.1)
    return pick(["{", "null", '{"jsonrpc":"2.0","method":"ping","id":1}', "[]"], random);
  if (kind < 0.2) return { jsonrpc: "2.0", id: pick(ids, random)(random, n), result: value };
  if (kind < 0.25) return { jsonrpc: "2.0", id: pick(ids, random)(random, n), error: value };
  const method = pick(methods, random);
  if (kind < 0.55) return { jsonrpc: "2.0", method, params: value };
  return { jsonrpc: "2.0", id: pick(ids, random)(random, n), method, params: value };
}

const uncaught: unknown[] = [];
const onRejection = (reason: unknown): void => void uncaught.push(reason);

describe("a hostile View", () => {
  afterEach(() => {
    process.off("unhandledRejection", onRejection);
    vi.useRealTimers();
  });

  test.each([
    ["before the handshake", false],
    ["after it", true],
  ])(
    "throws nowhere, pollutes nothing and gets past no policy %s (HST-34)",
    async (_, isStarted) => {
      process.on("unhandledRejection", onRejection);
      const random = createRandom(isStarted ? 7 : 8);
      const served: string[] = [];
      const tools = [
        readOnly("free"),
        tool("asked"),
        readOnly("model-only", { _meta: { ui: { visibility: ["model"] } } }),
      ];
      const upstream = scriptedUpstream({
        tools,
        answer: ({ method, params: given }) => {
          served.push(`${method} ${given.name ?? ""}`);
          return method === "tools/call" ? { content: [] } : {};
        },
      });
      const onAbuse = vi.fn();
      const bridge = new AppBridge(
        upstream,
        { name: "h", version: "1" },
        {},
        { onAbuse, grace: 1 },
      );
      const handle = (name: string) => (): never => {
        served.push(name);
        return {} as never;
      };
      bridge.onopenlink = handle("link");
      bridge.onmessage = handle("message");
      bridge.ondownloadfile = handle("download");
      bridge.oncreatesamplingmessage = handle("sampling");
      bridge.onstate = () => {};
      bridge.onloggingmessage = () => {};
      bridge.onsizechange = (size) => {
        for (const axis of Object.values(size)) {
          if (!(axis >= 0 && axis <= 10_000)) served.push(`size ${axis}`);
        }
      };
      const view = new RawView();
      await bridge.connect(view.hostEnd);
      if (isStarted) await view.start({ tools: {} });
      // What the bridge answers is looked at in other tests; here it would only be kept.
      view.hostEnd.send = () => {};
      const keys = Object.getOwnPropertyNames(Object.prototype);
      for (let n = 0; n < MESSAGES / 2; n++) {
        const message = makeMessage(random, n + 1000);
        // What it throws fails the test.
        view.hostEnd.onmessage?.(message);
        if (n % 500 === 0) await turn();
      }
      await turn();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(keys);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      expect(uncaught).toEqual([]);
      expect(onAbuse).toHaveBeenCalledTimes(1);
      // Nobody consents here; the handshake of the second run is somewhere among its messages.
      const allowed = /^(tools\/call free|(resources|prompts)\/[a-z/]+ )$/;
      expect(served.filter((line) => !allowed.test(line))).toEqual([]);
      expect(served.length).toBeGreaterThan(0);
      await bridge.close();
    },
    60_000,
  );
});
