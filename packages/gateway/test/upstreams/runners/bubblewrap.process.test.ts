import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createBubblewrapRunner } from "../../../src/upstreams/stdio/runners/bubblewrap.ts";
import { ISOLATION } from "../../../src/upstreams/stdio/runners/runner.ts";
import { runnerContract } from "./runner-contract.ts";

const run = promisify(execFile);

runnerContract("bubblewrap", { create: () => createBubblewrapRunner() });

test("a server in the gateway's own folder sees neither its data nor the keys inside the data", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-own-"));
  const keys = join(folder, "data", "keys");
  await mkdir(keys, { recursive: true });
  await Promise.all([
    writeFile(join(keys, "audit.key"), "a key"),
    writeFile(join(folder, "gateway.yaml"), "a secret"),
    writeFile(join(folder, "own.txt"), "its own"),
  ]);
  await chmod(folder, 0o755);
  const hidden = [join(folder, "gateway.yaml"), join(folder, "data"), keys];
  const runner = createBubblewrapRunner({ hidden });
  try {
    const script = "cat own.txt; cat gateway.yaml data/keys/audit.key 2>/dev/null; true";
    const command = { argv: ["/bin/sh", "-c", script], cwd: folder, env: {} };
    const { argv, env, release } = await runner.wrap(command, ISOLATION);
    const [program = "", ...args] = argv;
    const { stdout } = await run(program, args, { cwd: "/", env });
    await release();
    expect(stdout).toBe("its own");
  } finally {
    await runner.close();
    await rm(folder, { recursive: true });
  }
});
