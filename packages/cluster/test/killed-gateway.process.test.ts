import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryEngine, type Engine } from "@vitrine/gateway/engine";
import { expect, onTestFinished, test } from "vitest";
import { readAudit } from "../../gateway/src/audit/index.ts";
import type { GatewayConfig } from "../../gateway/src/config/config.ts";
import { createLog } from "../../gateway/src/observability/log.ts";
import { createScrubber } from "../../gateway/src/observability/scrubber.ts";
import { openRecords, type Records } from "../../gateway/src/service/open-audit.ts";
import { collect } from "../../gateway/test/service/stage.ts";

/** An engine that accepts the first record of a gateway and then nothing more, as before a kill. */
function slow(engine: Engine): Engine {
  let appended = 0;
  const append: Engine["log"]["append"] = (...batch) =>
    ++appended === 1 ? engine.log.append(...batch) : new Promise(() => {});
  const { log: whole } = engine;
  const log: Engine["log"] = {
    append,
    read: (...from) => whole.read(...from),
    bounds: (...of) => whole.bounds(...of),
    trim: (...to) => whole.trim(...to),
  };
  return { ...engine, log, kv: (...bucket) => engine.kv(...bucket) };
}

test("a restarted gateway stores the records in its folder that a killed one left", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-killed-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const engine = createMemoryEngine();
  const config = {
    engine: { driver: "nats", folder, node: "g1" },
    audit: { level: "meta", mode: "spool", onFull: "reject" },
    documents: { keepDays: 1 },
    cluster: { roles: ["edge"] },
  } as unknown as GatewayConfig;
  const log = createLog({ level: "silent", scrubber: () => createScrubber([]) });
  const keyring = { audit: new Uint8Array(32) } as never;
  const open = (on: Engine): Promise<Records> => openRecords(config, { engine: on, keyring, log });
  const { audit } = await open(slow(engine));
  audit.record({ event: "request", tool: "before-the-kill" });
  await audit.hold();
  const next = await open(engine);
  await next.audit.flushed();
  const records = await collect(readAudit({ log: engine.log }));
  expect(records.map(({ tool }) => tool)).toContain("before-the-kill");
  await next.close();
});
