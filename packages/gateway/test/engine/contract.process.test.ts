import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryEngine, openSqliteEngine, sealEngine } from "@vitrine/gateway/engine";
import { testEngine } from "@vitrine/internal/engine-contract";
import { createSealer } from "../../src/crypto/sealing.ts";

const sealer = createSealer([{ id: "k", secret: new Uint8Array(32).fill(3) }], {
  purpose: "store",
});

testEngine("an engine in memory", () => ({ engine: createMemoryEngine() }));

testEngine("a sealed engine in memory", () => ({
  engine: sealEngine(createMemoryEngine(), { sealer }),
}));

testEngine("an engine in a SQLite database", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-engine-"));
  const engine = await openSqliteEngine({ folder });
  return {
    engine,
    reopen: async () => {
      await engine.close();
      return openSqliteEngine({ folder });
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
});
