import { describe, expect, test } from "vitest";
import { ChangeFeed } from "../../src/upstreams/change-feed.ts";
import type { Listening, Transport } from "../../src/upstreams/transport.ts";
import type { UpstreamScope } from "../../src/upstreams/upstream.ts";
import { ann, bob, until } from "./calls.ts";

/** A transport that only listens, and counts. */
function quiet() {
  const streams: { scope: UpstreamScope; resources: readonly string[]; isOpen: boolean }[] = [];
  const transport = {
    changeKey: ({ user }: UpstreamScope) => user,
    async listen(scope: UpstreamScope, resources: readonly string[]): Promise<Listening> {
      const stream = { scope, resources, isOpen: true };
      streams.push(stream);
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      const stop = () => {
        stream.isOpen = false;
        resolve();
      };
      return { closed, sendsChanges: true, stop };
    },
  } as unknown as Transport & { changeKey(scope: UpstreamScope): string };
  const open = () => streams.filter(({ isOpen }) => isOpen);
  return { room: new ChangeFeed(transport, { server: "s", wait: 10 }), streams, open };
}

describe("a change feed", () => {
  test("uses one stream per credential, which ends with its last listener", async () => {
    const { room, streams, open } = quiet();
    const undo = [ann, ann, bob].map((scope) => room.join(scope, [], () => {}));
    await until(() => open().length === 2);
    undo[0]?.();
    undo[0]?.();
    expect(open()).toHaveLength(2);
    undo[1]?.();
    await until(() => open().length === 1);
    room.close();
    await until(() => open().length === 0);
    expect(streams).toHaveLength(2);
  });

  test("opens another stream for another resource, but not for a known one", async () => {
    const { room, streams, open } = quiet();
    room.join(ann, ["ui://a"], () => {});
    await until(() => open().length === 1);
    room.join(ann, ["ui://a"], () => {});
    room.join(ann, ["ui://b"], () => {});
    await until(() => streams.length === 2 && open().length === 1);
    expect(open()[0]?.resources).toEqual(["ui://a", "ui://b"]);
    room.close();
  });

  test("limits the streams per server", async () => {
    const { room, open } = quiet();
    for (let n = 0; n < 1100; n++) room.join({ tenant: "t", user: `${n}` }, [], () => {});
    await until(() => open().length > 0);
    expect(open()).toHaveLength(1024);
    room.close();
  });
});
