// Real containers of podman, with an image that is made of this machine's own programs.

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createContainerRunner } from "../../../src/upstreams/stdio/runners/container.ts";
import { ISOLATION } from "../../../src/upstreams/stdio/runners/runner.ts";
import { runnerContract } from "./runner-contract.ts";

const IMAGE = "localhost/vitrine-runner-test:1";
const PROGRAMS = "sh sleep cat dd du cut grep env ls tr id touch head setsid".split(" ");

const folder = mkdtempSync(join(tmpdir(), "vitrine-container-"));
const before = process.env.CONTAINERS_CONF;
afterAll(() => {
  if (before === undefined) delete process.env.CONTAINERS_CONF;
  else process.env.CONTAINERS_CONF = before;
  rmSync(folder, { recursive: true, force: true });
});

/** Why there are no containers here; nothing if there are. */
function obstacle(): string | undefined {
  if (spawnSync("podman", ["--version"]).status !== 0) return "podman isn't installed";
  const root = join(folder, "root");
  for (const name of ["tmp", "etc", "proc", "sys", "dev", "usr/bin"])
    mkdirSync(join(root, name), { recursive: true });
  // As in every image: some engines take the mode of the work folder from here.
  chmodSync(join(root, "tmp"), 0o1777);
  const copy = (from: string, to: string): void => {
    if (existsSync(join(root, to))) return;
    mkdirSync(dirname(join(root, to)), { recursive: true });
    cpSync(realpathSync(from), join(root, to));
  };
  for (const name of PROGRAMS) {
    const file = realpathSync(`/usr/bin/${name}`);
    copy(file, `usr/bin/${name}`);
    const { stdout } = spawnSync("ldd", [file], { encoding: "utf8" });
    for (const [library] of stdout.matchAll(/\/\S+/g)) copy(library, library);
  }
  execFileSync("ln", ["-s", "usr/bin", join(root, "bin")]);
  // Some machines have no rights to raise limits, and some runtimes no support for their cgroups.
  for (const runtime of ["crun", "runc"]) {
    const conf = join(folder, `${runtime}.conf`);
    writeFileSync(
      conf,
      `[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n[engine]\nruntime = "${runtime}"\n`,
    );
    process.env.CONTAINERS_CONF = conf;
    const packed = execFileSync("tar", ["-C", root, "-c", "."], { maxBuffer: 2 ** 28 });
    if (spawnSync("podman", ["import", "-", IMAGE], { input: packed }).status !== 0) continue;
    const limits = ["--memory", "67108864", "--pids-limit", "32", "--cpus", "1"];
    const flags = ["run", "--rm", "--init", "--network", "none", "--pull", "never", ...limits];
    if (spawnSync("podman", [...flags, IMAGE, "/bin/sh", "-c", "exit 0"]).status === 0)
      return undefined;
  }
  return "podman can't start a container with limits here";
}

const why = obstacle();
if (why) describe.skip(`the runner container (${why})`, () => test("starts a container", () => {}));
else {
  const create = () => createContainerRunner({ owner: "test", engine: "podman" });
  runnerContract("container", { create, isolation: { image: IMAGE } });

  describe("the runner container", { timeout: 60_000 }, () => {
    test("removes containers that an earlier process left behind", async () => {
      const name = `vitrine-left-${process.pid}`;
      const flags = [
        "--detach",
        "--name",
        name,
        "--label",
        "dev.vitrine.gateway=test",
        "--network=none",
      ];
      execFileSync("podman", ["run", ...flags, IMAGE, "/bin/sleep", "600"], { stdio: "ignore" });
      expect(await create().probe()).toBeUndefined();
      expect(spawnSync("podman", ["container", "exists", name]).status).toBe(1);
    });

    test("puts no value of a variable on the command line", async () => {
      const given = { TOKEN: "secret value" };
      const command = { argv: ["/bin/true"], env: given, given };
      const { argv, env } = await create().wrap(command, { ...ISOLATION, image: IMAGE });
      expect(argv.join(" ")).not.toContain("secret value");
      expect(env.TOKEN).toBe("secret value");
    });
  });
}
