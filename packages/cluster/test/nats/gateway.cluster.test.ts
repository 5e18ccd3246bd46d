// The gateway as operators run it, with a configuration file that uses NATS, in two processes.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { runCommand } from "../../../gateway/src/service/command-line.ts";
import { createKeyFiles } from "../../../gateway/src/service/key-files.ts";
import { openServiceStage } from "../../../gateway/test/service/stage.ts";
import { freshPrefix } from "./stage.ts";

/** The output of a gateway command. */
async function command(config: object, ...words: string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-command-"));
  const file = join(folder, "gateway.yaml");
  await writeFile(file, stringify(config));
  let text = "";
  const print = (more: string): void => {
    text += more;
  };
  const signal = new AbortController().signal;
  await runCommand([...words, "--config", file], {
    ...{ environment: {}, out: print, err: print, signal, onStart: () => {} },
  });
  await rm(folder, { recursive: true });
  return text.trim().split("\n");
}

describe("a gateway on NATS", { timeout: 60_000 }, () => {
  let servers: NatsServers;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-nats-keys-"));
    await createKeyFiles(join(folder, "shared"));
    await createKeyFiles(join(folder, "other"));
    servers = await startNats({ nodes: 3 });
  }, 60_000);
  afterAll(async () => {
    await servers?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const engineOf = (node: string, prefix: string): Record<string, unknown> => ({
    keys: { folder: join(folder, "shared") },
    engine: { driver: "nats", servers: servers.urls, node, prefix },
  });

  test("starts, serves a call, is ready, and its audit log verifies", async () => {
    const prefix = freshPrefix();
    const stage = await openServiceStage(engineOf("one", prefix));
    try {
      const { status, body } = await stage.post("tools/list");
      expect([status, body.result.tools.length > 0]).toEqual([200, true]);
      const ready = await fetch(`${stage.service.operatorUrl}/readyz`);
      expect(ready.status).toBe(200);
    } finally {
      await stage[Symbol.asyncDispose]();
    }
    const said = await command(stage.config, "audit", "verify");
    expect(said.at(-1)).toBe("The log is complete and unmodified.");
    expect(said[0]).toMatch(/^[1-9]\d* records in \d+ steps, of 1 run of the gateway\.$/);
    const tail = await command(stage.config, "audit", "tail", "--server", "station", "--json");
    expect(JSON.parse(tail.at(-1) ?? "")).toMatchObject({
      server: "station",
      method: "tools/list",
    });
    const other = { ...stage.config, keys: { folder: join(folder, "other") } };
    expect((await command(other, "audit", "verify")).at(-1)).toContain("MODIFIED or damaged");
  });

  test("two gateways share one audit log, each with its own chain", async () => {
    const prefix = freshPrefix();
    const stages = await Promise.all([
      openServiceStage(engineOf("one", prefix)),
      openServiceStage(engineOf("two", prefix)),
    ]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => stages[n % 2]?.post("tools/list")),
    );
    expect(answers.map((answer) => answer?.status)).toEqual(Array(20).fill(200));
    for (const stage of stages) await stage[Symbol.asyncDispose]();
    const said = await command(stages[0]?.config ?? {}, "audit", "verify");
    expect(said[0]).toContain("of 2 runs of the gateway");
    expect(said.slice(1)).toEqual([
      expect.stringMatching(/^Key k-[0-9a-f]{12} made \d+ steps, from .* to .*\.$/),
      "The log is complete and unmodified.",
    ]);
  });

  test("names the server and the remedy if NATS can't be reached", async () => {
    const engine = { driver: "nats", servers: ["nats://127.0.0.1:9"] };
    const keys = { folder: join(folder, "shared") };
    await expect(openServiceStage({ engine, keys })).rejects.toThrow(
      /engine: NATS can't be reached at nats:\/\/127\.0\.0\.1:9/,
    );
  });
});
