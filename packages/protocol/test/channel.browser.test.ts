import { testChannel } from "@vitrine/internal/channel-contract";
import { portChannel, windowChannel } from "@vitrine/protocol";
import { afterEach, expect, test } from "vitest";

const frames: HTMLIFrameElement[] = [];

afterEach(() => {
  for (const frame of frames.splice(0)) frame.remove();
});

/** A same-origin frame: this page and it are two windows that can both run our code. */
async function openFrame(): Promise<Window & typeof globalThis> {
  const frame = document.createElement("iframe");
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  frame.srcdoc = "<!doctype html><title>frame</title>";
  document.body.append(frame);
  frames.push(frame);
  await loaded;
  return frame.contentWindow as Window & typeof globalThis;
}

testChannel(
  "MessagePort",
  () => {
    const { port1, port2 } = new MessageChannel();
    const left = portChannel(port1);
    const right = portChannel(port2);
    return { left, right, dispose: () => left.close() };
  },
  // Node tells the far end; Chromium does not (yet).
  { tellsClose: "onclose" in MessagePort.prototype },
);

/** Sends to `to` as if from `from`: the only way to choose a message's source in one realm. */
function postFrom(from: Window & typeof globalThis, to: Window, message: unknown): void {
  const post = new from.Function("to", "message", "to.postMessage(message, '*')");
  post(to, message);
}

test("a window channel receives its partner's messages", async () => {
  const frame = await openFrame();
  const channel = windowChannel(frame);
  const received = new Promise((resolve) => {
    channel.onmessage = resolve;
  });
  channel.start?.();
  postFrom(frame, window, { jsonrpc: "2.0", method: "hello" });
  expect(await received).toEqual({ jsonrpc: "2.0", method: "hello" });
  channel.close();
});

test("a window channel is deaf to every other window", async () => {
  const partner = await openFrame();
  const other = await openFrame();
  const channel = windowChannel(partner);
  const received: unknown[] = [];
  channel.onmessage = (message) => received.push(message);
  channel.start?.();
  postFrom(other, window, { jsonrpc: "2.0", method: "forged" });
  window.postMessage({ jsonrpc: "2.0", method: "own" }, "*");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(received).toEqual([]);
  channel.close();
});

test("a window channel with an origin is deaf to its partner under another origin", async () => {
  const partner = await openFrame();
  const received: unknown[] = [];
  const pinned = windowChannel(partner, { origin: "https://elsewhere.example" });
  pinned.onmessage = (message) => received.push(message);
  pinned.start?.();
  postFrom(partner, window, { jsonrpc: "2.0", method: "hello" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(received).toEqual([]);
  pinned.close();
});

test("a window channel addresses the partner's origin, so nobody else receives", async () => {
  const partner = await openFrame();
  const received: unknown[] = [];
  partner.addEventListener("message", (event) => received.push(event.data));
  windowChannel(partner, { origin: "https://elsewhere.example" }).send({
    jsonrpc: "2.0",
    method: "secret",
  });
  windowChannel(partner, { origin: location.origin }).send({ jsonrpc: "2.0", method: "open" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(received).toEqual([{ jsonrpc: "2.0", method: "open" }]);
});

test("a closed window channel leaves no listener behind", async () => {
  const frame = await openFrame();
  const channel = windowChannel(frame);
  const received: unknown[] = [];
  channel.onmessage = (message) => received.push(message);
  channel.start?.();
  channel.close();
  postFrom(frame, window, { jsonrpc: "2.0", method: "late" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(received).toEqual([]);
});
