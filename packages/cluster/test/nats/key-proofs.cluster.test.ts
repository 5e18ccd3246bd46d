// Gateways with different keys can't form a cluster: the second doesn't start, and one whose keys no longer fit isn't
// ready (O6).

import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKeyFiles, KEY_NAMES } from "../../../gateway/src/service/key-files.ts";
import { openServiceStage } from "../../../gateway/test/service/stage.ts";
import { freshPrefix } from "./stage.ts";

describe("gateways with different keys (O6)", { timeout: 60_000 }, () => {
  let servers: NatsServers;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-key-proofs-"));
    servers = await startNats({ nodes: 1 });
  }, 60_000);
  afterAll(async () => {
    await servers?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  let count = 0;
  /** A folder of keys; the given files differ from the `model`. */
  async function keysLike(model?: string, ...different: string[]): Promise<string> {
    const path = join(folder, `keys-${++count}`);
    if (model !== undefined) await cp(model, path, { recursive: true });
    for (const name of different) await rm(join(path, `${name}.key`));
    await createKeyFiles(path);
    return path;
  }
  const start = (keys: string, prefix: string, node: string) =>
    openServiceStage({
      keys: { folder: keys },
      engine: { driver: "nats", servers: servers.urls, node, prefix },
    });
  const readiness = async (stage: Awaited<ReturnType<typeof start>>) => {
    const response = await fetch(`${stage.service.operatorUrl}/readyz`);
    return [response.status, await response.text()] as const;
  };

  test("a gateway with any other key doesn't start, and names the file and both keys", async () => {
    const prefix = freshPrefix();
    const shared = await keysLike();
    await using stage = await start(shared, prefix, "one");
    for (const name of KEY_NAMES) {
      await expect(start(await keysLike(shared, name), prefix, "two")).rejects.toThrow(
        new RegExp(
          `${name}\\.key: the cluster uses the key k-[0-9a-f]{12}, but the file .* has k-`,
        ),
      );
    }
    await using other = await start(await keysLike(shared), prefix, "two");
    expect([await readiness(stage), await readiness(other)]).toEqual([
      [200, "ready\n"],
      [200, "ready\n"],
    ]);
  });

  test("a key is rotated in three steps, and a step that was left out is refused", async () => {
    const prefix = freshPrefix();
    const old = await keysLike();
    const fresh = `${"n".repeat(40)}\n`;
    const rotated = async (lines: (own: string) => string): Promise<string> => {
      const path = await keysLike(old);
      const file = join(path, "audit.key");
      await writeFile(file, lines(await readFile(file, "utf8")), { mode: 0o600 });
      return path;
    };
    const added = await rotated((own) => `${own}${fresh}`);
    const first = await rotated((own) => `${fresh}${own}`);
    const alone = await rotated(() => fresh);

    await using one = await start(old, prefix, "one");
    // The first gateway doesn't have the new key yet.
    await expect(start(first, prefix, "two")).rejects.toThrow(
      /audit\.key: this gateway uses the key k-[0-9a-f]{12}, but one doesn't have it yet/,
    );
    await one[Symbol.asyncDispose]();
    await using prepared = await start(added, prefix, "one");
    await using changed = await start(first, prefix, "two");
    expect((await readiness(prepared))[0]).toBe(200);
    expect((await readiness(changed))[0]).toBe(200);
    // From now on, a gateway without the new key is too late.
    await expect(start(old, prefix, "three")).rejects.toThrow(
      "audit.key: the cluster uses the key",
    );
    await prepared[Symbol.asyncDispose]();
    await using after = await start(alone, prefix, "one");
    expect((await readiness(after))[0]).toBe(200);
  });

  test("a running gateway isn't ready once the cluster uses a key that it lacks", async () => {
    const prefix = freshPrefix();
    await using stage = await start(await keysLike(), prefix, "one");
    const { openNatsEngine } = await import("../../src/nats/nats-engine.ts");
    const engine = await openNatsEngine({ servers: servers.urls, prefix });
    const proofs = engine.kv("key-proofs", { durable: true });
    await proofs.put("audit", Buffer.from(JSON.stringify({ id: "k-000000000000", mac: "" })));
    await expect
      .poll(() => readiness(stage))
      .toEqual([
        503,
        expect.stringContaining("audit.key: the cluster uses the key k-000000000000"),
      ]);
    await engine.close();
  });
});
