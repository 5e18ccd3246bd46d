import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryEngine, openFileEngine, sealEngine } from "@vitrine/gateway/engine";
import { testEngine } from "@vitrine/testing/engine-contract";
import { createSealer } from "../../src/sealing.ts";

const sealer = createSealer([{ id: "k", secret: new Uint8Array(32).fill(3) }], {
  purpose: "store",
});

testEngine("an engine in memory", () => ({ engine: createMemoryEngine() }));

testEngine("a sealed engine in memory", () => ({
  engine: sealEngine(createMemoryEngine(), { sealer }),
}));

testEngine("an engine in a folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-engine-"));
  const engine = await openFileEngine({ folder });
  return {
    engine,
    reopen: async () => {
      await engine.close();
      return openFileEngine({ folder });
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
});
