import { testChannel } from "@vitrine/internal/channel-contract";
import { linkedChannels, portChannel } from "@vitrine/protocol";
import { expect, test } from "vitest";

testChannel("linked pair", () => {
  const [left, right] = linkedChannels();
  return { left, right };
});

testChannel("MessagePort of Node", () => {
  const { port1, port2 } = new MessageChannel();
  const left = portChannel(port1);
  const right = portChannel(port2);
  return {
    left,
    right,
    dispose: () => {
      left.close();
      right.close();
    },
  };
});

test("a linked pair throws when it sends after it is closed", () => {
  const [left, right] = linkedChannels();
  right.close();
  expect(() => left.send({ jsonrpc: "2.0", method: "m" })).toThrow("closed");
});

test("what was under way in a linked pair when it closed is not delivered", async () => {
  const [left, right] = linkedChannels();
  const received: unknown[] = [];
  right.onmessage = (message) => received.push(message);
  left.send({ jsonrpc: "2.0", method: "m" });
  right.close();
  await Promise.resolve();
  expect(received).toEqual([]);
});
