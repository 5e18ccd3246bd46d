import type { JsonRpcMessage } from "@vitrine/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openPortLink, type PortLink, type RelayEvent } from "../src/frame/port-link.ts";

interface Ends {
  link: PortLink;
  events: RelayEvent[];
  messages: unknown[];
  /** What the relay got. */
  received: { text?: string }[];
  /** As the relay passes on a message of the View. */
  say(message: unknown, act?: unknown): void;
  post(data: unknown): void;
  relay: MessagePort;
}

function openEnds({ isStarted = true } = {}): Ends {
  const { port1, port2 } = new MessageChannel();
  const events: RelayEvent[] = [];
  const messages: unknown[] = [];
  const received: Ends["received"] = [];
  const link = openPortLink(port1, (item) => events.push(item));
  port2.onmessage = ({ data }) => received.push(data);
  link.channel.onmessage = (message) => messages.push(message);
  if (isStarted) link.channel.start?.();
  onTestFinished(() => {
    link.close();
    port2.close();
  });
  const post = (data: unknown): void => port2.postMessage(data);
  return {
    link,
    events,
    messages,
    received,
    post,
    relay: port2,
    say: (message, act = false) => post({ seq: 0, act, text: JSON.stringify(message) }),
  };
}

const note = (text: string): JsonRpcMessage => ({
  jsonrpc: "2.0",
  method: "test/note",
  params: { text },
});
describe("a message from a View", () => {
  test("is delivered as the object it was, with the user's gesture for as long as it is handled", async () => {
    const ends = openEnds();
    const { channel } = ends.link;
    const active: unknown[] = [];
    channel.onmessage = () => {
      active.push(channel.userActive);
      queueMicrotask(() => active.push(channel.userActive));
    };
    ends.say({ method: "a" }, true);
    ends.say({ method: "b" }, false);
    // Only the relay's `true` counts.
    ends.say({ method: "c" }, "true");
    await expect.poll(() => active).toEqual([true, false, false, false, false, false]);
    expect(channel.userActive).toBe(false);
  });

  test("waits until somebody listens, while the Sandbox's events do not", async () => {
    const ends = openEnds({ isStarted: false });
    ends.say({ method: "early" });
    ends.post({ held: true });
    await expect.poll(() => ends.events).toEqual([{ held: true }]);
    expect(ends.messages).toEqual([]);
    ends.link.channel.start?.();
    expect(ends.messages).toEqual([{ method: "early" }]);
  });

  test("is dropped if it isn't JSON, and the next message arrives", async () => {
    const ends = openEnds();
    ends.post({ seq: 0, act: true, text: "{" });
    ends.say({ method: "next" });
    await expect.poll(() => ends.messages).toEqual([{ method: "next" }]);
  });

  test("cannot be taken for events, whatever is in it", async () => {
    const ends = openEnds();
    ends.post({ seq: 0, act: false, text: '{"killed":{}}', killed: { code: "flood", detail: "" } });
    await expect.poll(() => ends.messages).toEqual([{ killed: {} }]);
    expect(ends.events).toEqual([]);
  });
});

describe("a message from the Host", () => {
  test("is sent as text", async () => {
    const ends = openEnds();
    ends.link.channel.send(note("hello"));
    await expect.poll(() => ends.received).toEqual([{ text: JSON.stringify(note("hello")) }]);
  });
});

describe("the end", () => {
  test("is reported once when the relay's end closes, as an event and to the channel", async () => {
    const ends = openEnds();
    const onclose = vi.fn();
    ends.link.channel.onclose = onclose;
    ends.relay.close();
    await expect.poll(() => ends.events).toEqual([{ gone: true }]);
    ends.link.close();
    expect(onclose).toHaveBeenCalledTimes(1);
  });

  test("isn't an event when the Host closes its own end, and nothing is delivered afterwards", async () => {
    const ends = openEnds();
    const onclose = vi.fn();
    ends.link.channel.onclose = onclose;
    ends.say({ method: "late" });
    ends.link.channel.close();
    ends.link.channel.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(onclose).toHaveBeenCalledTimes(1);
    expect(ends.messages).toEqual([]);
    expect(ends.events).toEqual([]);
  });
});
