import { expect, test, vi } from "vitest";
import { hostChannel } from "../src/host-channel.ts";

/** A window that stands for the Host's, and what it is sent. */
function openHost(): { host: Window; say(data: unknown, ports?: MessagePort[]): void } {
  const frame = document.body.appendChild(document.createElement("iframe"));
  const host = frame.contentWindow as Window;
  const say = (data: unknown, ports: MessagePort[] = []): void => {
    dispatchEvent(new MessageEvent("message", { source: host, origin: "null", data, ports }));
  };
  return { host, say };
}

test("continues over a port that comes with a message of the Host", async () => {
  const { host, say } = openHost();
  const byWindow: unknown[] = [];
  host.addEventListener("message", ({ data }) => byWindow.push(data));
  const channel = hostChannel(host);
  const received: unknown[] = [];
  channel.onmessage = (message) => received.push(message);
  channel.start?.();
  channel.send({ jsonrpc: "2.0", method: "first" });
  await vi.waitFor(() => expect(byWindow).toHaveLength(1));

  const { port1, port2 } = new MessageChannel();
  const byPort: unknown[] = [];
  port1.onmessage = ({ data }) => byPort.push(data);
  say({ jsonrpc: "2.0", method: "with a port" }, [port2]);
  channel.send({ jsonrpc: "2.0", method: "second" });
  port1.postMessage('{"jsonrpc":"2.0"}');
  await vi.waitFor(() => expect(received).toHaveLength(2));
  expect(received).toEqual([{ jsonrpc: "2.0", method: "with a port" }, '{"jsonrpc":"2.0"}']);
  await vi.waitFor(() => expect(byPort).toEqual([{ jsonrpc: "2.0", method: "second" }]));
  expect(byWindow).toHaveLength(1);
  channel.close();
});

test("takes neither messages nor ports from another window (SBX-15)", () => {
  const { host } = openHost();
  const other = openHost();
  const channel = hostChannel(host);
  const received = vi.fn();
  channel.onmessage = received;
  channel.start?.();
  const { port2 } = new MessageChannel();
  const taken = vi.spyOn(port2, "postMessage");
  other.say({ jsonrpc: "2.0" }, [port2]);
  channel.send({ jsonrpc: "2.0", method: "mine" });
  expect(received).not.toHaveBeenCalled();
  expect(taken).not.toHaveBeenCalled();
  channel.close();
});
