import { getToolUiResourceUri, PostMessageTransport } from "@vitrine/host";
import { afterEach, expect, test, vi } from "vitest";

const frames: HTMLIFrameElement[] = [];
afterEach(() => {
  for (const frame of frames.splice(0)) frame.remove();
});

/** A frame that returns what it receives, and greets. */
async function openEcho(): Promise<Window> {
  const frame = document.createElement("iframe");
  frame.sandbox.add("allow-scripts");
  frame.srcdoc = `<script>
    addEventListener("message", ({ data }) => parent.postMessage(data, "*"));
  </script>`;
  frames.push(frame);
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.append(frame);
  await loaded;
  return frame.contentWindow as Window;
}

const PING = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

test("a transport delivers the JSON-RPC messages of its window and nothing else", async () => {
  const [own, other] = [await openEcho(), await openEcho()];
  const transport = new PostMessageTransport(own, own);
  const onmessage = vi.fn();
  transport.onmessage = onmessage;
  await transport.start();
  await transport.start();
  other.postMessage(PING, "*");
  own.postMessage("not a message", "*");
  own.postMessage(null, "*");
  await transport.send(PING);
  await expect.poll(() => onmessage.mock.calls).toEqual([[PING]]);
});

test("a transport that is closed delivers nothing more, and reports its end once", async () => {
  const own = await openEcho();
  const transport = new PostMessageTransport(own, own);
  const [onmessage, onclose] = [vi.fn(), vi.fn()];
  Object.assign(transport, { onmessage, onclose });
  await transport.start();
  await transport.close();
  await transport.close();
  await transport.send(PING);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(onmessage).not.toHaveBeenCalled();
  expect(onclose).toHaveBeenCalledTimes(1);
});

test("getToolUiResourceUri reads both keys, and throws for an address that isn't ui://", () => {
  expect(getToolUiResourceUri({ _meta: { ui: { resourceUri: "ui://a/b" } } })).toBe("ui://a/b");
  expect(getToolUiResourceUri({ _meta: { "ui/resourceUri": "ui://a/c" } })).toBe("ui://a/c");
  expect(getToolUiResourceUri({})).toBeUndefined();
  const wrong = { _meta: { ui: { resourceUri: "https://a.example" } } };
  expect(() => getToolUiResourceUri(wrong)).toThrow("Ask the server's author");
});
