// A hostile process with the cluster's secret, over real NATS: attacks 177, 178 and 181.

import { openNatsEngine } from "@vitrine/cluster";
import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ann } from "../../../gateway/test/upstreams/calls.ts";
import { nameOf } from "../../src/membership/membership.ts";
import { Envelopes, type Head } from "../../src/routing/envelope.ts";
import { openShares } from "../shared-limits.ts";
import { call, KEYS, openProcess, type Process, processOf, World } from "../stage.ts";
import { freshPrefix } from "./stage.ts";

const HOSTILE = `${"e".repeat(24)}.1`;

describe("a hostile process of the cluster", { timeout: 60_000 }, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats({ nodes: 1 });
  }, 60_000);
  afterAll(() => servers?.stop());

  const open = async () => {
    const prefix = freshPrefix();
    const world = new World();
    const [one, two, hostile] = await Promise.all(
      [1, 2, 3].map(() => openNatsEngine({ servers: servers.urls, prefix })),
    );
    if (!one || !two || !hostile) throw new Error("No engine.");
    const owner = await openProcess(one, world, { name: "owner", ttl: 5000 });
    const other = await openProcess(two, world, { name: "other", ttl: 5000 });
    onTestFinished(async () => {
      await Promise.allSettled([owner.upstream.close(), other.upstream.close()]);
      await Promise.allSettled([owner.cluster.close(), other.cluster.close()]);
      await Promise.all([one, two, hostile].map((engine) => engine.close()));
    });
    expect(await ask(owner)).toBe("owner");
    return { world, owner, other, hostile };
  };
  const ask = (process: Process): Promise<string> =>
    processOf(process.upstream.send(call("c", {}, { deadline: 20_000 })) as never);
  const addressOf = ({ cluster: { membership } }: Process): string =>
    nameOf({ node: membership.node, epoch: membership.epoch ?? 0 });
  const headTo = (to: string, more: Partial<Head> = {}): Head => ({
    ...{ op: "=", server: "board", key: "k", revision: 1, to, call: 1 },
    ...{ chunks: 0, deadline: 1000 },
    ...more,
  });

  test("181: malformed bodies don't stop a gateway or its calls", async () => {
    const { owner, other, hostile } = await open();
    const envelopes = new Envelopes({ keys: KEYS });
    const to = addressOf(owner);
    // Both processes subscribe to the subjects of tenant limits and of the server's changes.
    const shares = openShares([owner, other], { perMinute: 60, now: () => performance.now() });
    const stops = [owner, other].map(({ upstream }) => upstream.listen(ann, () => {}));
    onTestFinished(() => {
      for (const share of shares) share.close();
      for (const stop of stops) stop();
    });
    const bodies = [
      ...["", "\n", "{", "null\n", "[]\n", "5\n", '"x"\n', '{"notes":5}\n', '{"notes":[null]}\n'],
      ...[
        '{"notes":[{"call":1}]}\n',
        '{"place":-1}\n',
        '{"place":"__proto__"}\n',
        "[[1,2]]\n",
        "[5]\n",
      ],
      ...[
        '{"scope":null}\n{',
        '{"scope":{"tenant":{},"user":[]}}\n{"jsonrpc":"2.0"}',
        "\0".repeat(9),
      ],
    ];
    const ops = ["notify-caller", "=", "!", "+", "-", "call", "notify", "discover", "listen"];
    for (const op of [...ops, "cancel", "running", "__proto__"]) {
      for (const body of bodies) {
        const seal = (at: string) => envelopes.seal(HOSTILE, headTo(at, { op }), body);
        hostile.bus.publish(`r.${to}`, seal(to));
        void hostile.bus.request(`n.${to}`, seal(to), { deadline: 500 }).catch(() => {});
        for (const subject of ["rl", `ev.${Buffer.from("board").toString("base64url")}`]) {
          hostile.bus.publish(subject, seal(subject));
        }
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await ask(other)).toBe("owner");
  });

  test("178: chunks belong to the process that sent them, whatever call they name", async () => {
    const { owner, other, hostile } = await open();
    const envelopes = new Envelopes({ keys: KEYS });
    const to = addressOf(owner);
    const opener = new Envelopes({ keys: KEYS });
    // Chunks for the next calls of the other process, and the rest of the responses to its calls. More calls
    // than the process can repeat before its deadline.
    for (const [op, body, expected] of [
      ["+", "of somebody else", "="],
      ["-", "0", "!"],
    ] as const) {
      for (let number = 1; number < 500; number++) {
        const sealed = envelopes.seal(HOSTILE, headTo(to, { op, call: number }), body);
        const response = await hostile.bus.request(`n.${to}`, sealed, { deadline: 5000 });
        expect(opener.open(response, HOSTILE).head.op).toBe(expected);
      }
    }
    const large = call("large", { filler: "x".repeat(3 * 2 ** 20) }, { deadline: 20_000 });
    expect(await processOf(other.upstream.send(large) as never)).toBe("owner");
  });

  test("177: garbage in place of a lease never makes two owners", async () => {
    const { owner, other, world, hostile } = await open();
    const { node } = owner.cluster.membership;
    const nodes = hostile.kv("nodes", { ttl: 5000 });
    for (let round = 0; round < 4; round++) {
      await nodes.put(node, Buffer.from("garbage"));
      await new Promise((resolve) => setTimeout(resolve, 400));
      await ask(other).catch(() => {});
    }
    await expect.poll(() => ask(other).catch(() => ""), { timeout: 20_000 }).toMatch(/owner|other/);
    expect(world.overlaps()).toEqual([]);
  });
});
