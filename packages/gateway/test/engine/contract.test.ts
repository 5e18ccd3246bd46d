import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryEngine, openFileEngine } from "@vitrine/gateway/engine";
import { testEngine } from "@vitrine/testing/engine-contract";

testEngine("an engine in memory", () => ({ engine: createMemoryEngine() }));

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
