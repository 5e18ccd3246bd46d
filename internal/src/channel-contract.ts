import type { Channel, JsonRpcMessage } from "@vitrine/protocol";
import { describe, expect, test } from "vitest";

/** Two ends of one connection, and what is left to clean up. */
export interface ChannelPair {
  left: Channel;
  right: Channel;
  dispose?(): void;
}

const message = (n: number): JsonRpcMessage => ({ jsonrpc: "2.0", method: "m", params: { n } });

/** Resolves with the next `count` messages an end receives. */
function collect(channel: Channel, count: number): Promise<unknown[]> {
  const received: unknown[] = [];
  return new Promise((resolve) => {
    channel.onmessage = (arrived) => {
      received.push(arrived);
      if (received.length === count) resolve(received);
    };
    channel.start?.();
  });
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

/** What every channel must do, whatever carries it. `tellsClose` is false where the far end cannot know. */
export function testChannel(
  name: string,
  open: () => Promise<ChannelPair> | ChannelPair,
  { tellsClose = true } = {},
): void {
  describe(`a ${name} keeps the channel contract`, () => {
    test("what one end sends, the other receives, in order", async () => {
      const { left, right, dispose } = await open();
      const arriving = collect(right, 3);
      for (const n of [1, 2, 3]) left.send(message(n));
      expect(await arriving).toEqual([message(1), message(2), message(3)]);
      dispose?.();
    });

    test("both directions work at once", async () => {
      const { left, right, dispose } = await open();
      const arriving = Promise.all([collect(left, 1), collect(right, 1)]);
      left.send(message(1));
      right.send(message(2));
      expect(await arriving).toEqual([[message(2)], [message(1)]]);
      dispose?.();
    });

    test("delivery is asynchronous: nothing arrives inside send", async () => {
      const { left, right, dispose } = await open();
      let arrived = false;
      right.onmessage = () => {
        arrived = true;
      };
      right.start?.();
      left.send(message(1));
      expect(arrived).toBe(false);
      await settle();
      expect(arrived).toBe(true);
      dispose?.();
    });

    test("a closed end receives nothing more", async () => {
      const { left, right, dispose } = await open();
      const received: unknown[] = [];
      right.onmessage = (arrived) => received.push(arrived);
      right.start?.();
      right.close();
      try {
        left.send(message(1));
      } catch {
        // A channel may refuse once it knows that it is closed.
      }
      await settle();
      expect(received).toEqual([]);
      dispose?.();
    });

    test("closing twice is harmless", async () => {
      const { left, dispose } = await open();
      left.close();
      expect(() => left.close()).not.toThrow();
      dispose?.();
    });

    test.runIf(tellsClose)("the other end is notified of a close, once", async () => {
      const { left, right, dispose } = await open();
      let closes = 0;
      right.onclose = () => {
        closes++;
      };
      right.start?.();
      left.start?.();
      left.close();
      left.close();
      await settle();
      expect(closes).toBe(1);
      dispose?.();
    });
  });
}
