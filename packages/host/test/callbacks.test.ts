import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { callbacksUpstream } from "../src/upstreams/callbacks.ts";

const result = { content: [] };

test("a View is offered what there is a callback for, and nothing else", () => {
  const callTool = () => result;
  const server = "ours";
  const quiet = { listChanged: false };
  expect(callbacksUpstream({ server, callTool }).capabilities).toEqual({ tools: quiet });
  const readResource = () => ({ contents: [] });
  expect(callbacksUpstream({ server, readResource }).capabilities).toEqual({ resources: quiet });
  const listPrompts = () => ({ prompts: [] });
  const onListChanged = () => () => {};
  expect(callbacksUpstream({ server, listPrompts, onListChanged }).capabilities).toEqual({
    prompts: { listChanged: true },
  });
});

test("what has no callback is answered like an unknown method", async () => {
  const upstream = callbacksUpstream({ server: "ours", callTool: () => result });
  await expect(upstream.request("tools/list", {})).rejects.toMatchObject({
    name: "RpcError",
    code: -32601,
    message: "ours does not support tools/list",
  });
});

test("an abort is received even where the callback does not listen", async () => {
  const controller = new AbortController();
  const upstream = callbacksUpstream({
    server: "ours",
    callTool: () => new Promise(() => {}),
  });
  const { signal } = controller;
  const pending = upstream.request("tools/call", { name: "x" }, { signal });
  controller.abort(new Error("gone"));
  await expect(pending).rejects.toThrow("gone");
});

test("a request that is over leaves nothing at its signal, which may outlive many", async () => {
  const { signal } = new AbortController();
  const upstream = callbacksUpstream({ server: "ours", callTool: () => result });
  await upstream.request("tools/call", { name: "x" }, { signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("what a callback throws at once is a rejection, and what it answers at once a result", async () => {
  const upstream = callbacksUpstream({
    server: "ours",
    callTool: () => {
      throw new Error("down");
    },
    listTools: () => ({ tools: [] }),
  });
  await expect(upstream.request("tools/call", { name: "x" })).rejects.toThrow("down");
  expect(await upstream.request("tools/list", {})).toEqual({ tools: [] });
});

test("callbacks may be methods of an object that uses this", async () => {
  class Backend {
    server = "ours";
    calls = 0;
    callTool() {
      this.calls++;
      return result;
    }
  }
  const backend = new Backend();
  await callbacksUpstream(backend).request("tools/call", { name: "x" });
  expect(backend.calls).toBe(1);
});

test("without onListChanged a listener is taken and its undo does nothing", () => {
  const upstream = callbacksUpstream({ server: "ours" });
  expect(upstream.onListChanged(() => {})()).toBeUndefined();
});
