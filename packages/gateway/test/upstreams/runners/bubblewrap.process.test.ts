import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createBubblewrapRunner } from "../../../src/upstreams/stdio/runners/bubblewrap.ts";
import { ISOLATION } from "../../../src/upstreams/stdio/runners/runner.ts";
import { publicNode } from "../../security/s19-stage.ts";
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

test("a server reaches the hosts of its list through a proxy, and no other (O5)", async () => {
  const service = createServer((_, response) => response.end("the service"));
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  const node = publicNode();
  const runner = createBubblewrapRunner({ node });
  try {
    const script = `
      for (const url of ["http://127.0.0.1:${port}/", "http://127.0.0.1:1/", "http://name.example/"])
        console.log(await fetch(url).then(async (a) => a.status + " " + (await a.text()).trim(), (e) => "failed"));
      const direct = (await import("node:net")).connect(${port}, "127.0.0.1");
      direct.on("error", (error) => console.log(error.code));`;
    const command = { argv: [node, "--input-type=module", "--eval", script], env: {} };
    const isolation = { ...ISOLATION, privateNetwork: [`127.0.0.1:${port}`] };
    const { argv, env, release } = await runner.wrap(command, isolation);
    const [program = "", ...args] = argv;
    const { stdout } = await run(program, args, { cwd: "/", env });
    await release();
    expect(stdout.trim().split("\n")).toEqual([
      "200 the service",
      // Node asks the proxy for a tunnel, which answers 403.
      "failed",
      "failed",
      "ECONNREFUSED",
    ]);
  } finally {
    await runner.close();
    service.close();
  }
});
