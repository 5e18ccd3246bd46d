// What every runner does, shown with a shell as the hostile program.

import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MessageText } from "../../../src/json-rpc/serialize.ts";
import { ChildWire } from "../../../src/upstreams/stdio/child-wire.ts";
import {
  ISOLATION,
  type Isolation,
  type Runner,
} from "../../../src/upstreams/stdio/runners/runner.ts";
import type { UpstreamError } from "../../../src/upstreams/upstream.ts";
import { until } from "../calls.ts";

/** How a runner is tested. */
export interface RunnerContract {
  create(): Runner;
  isolation?: Partial<Isolation>;
  /** Milliseconds for a start. */
  startTime?: number;
  /** A cluster limits processes of pods per node, and its network by its own policies. */
  isPod?: boolean;
}

/** The lines that a script wrote, its end, and a way to write to it. */
interface Talk {
  lines: string[];
  wire: ChildWire;
  end: Promise<UpstreamError>;
}

const LIMITS = { closeTime: 1000 };

/** Runs the suite. */
export function runnerContract(name: string, options: RunnerContract): void {
  const { isolation = {}, startTime = 20_000, isPod = false } = options;
  describe(`the runner ${name}`, { timeout: 60_000 + 3 * startTime }, () => {
    let runner: Runner;
    let folder: string;
    const secret = "a secret of the gateway";

    beforeAll(async () => {
      runner = options.create();
      folder = await mkdtemp(join(tmpdir(), "vitrine-secret-"));
      await writeFile(join(folder, "key"), secret);
      process.env.VITRINE_TEST_SECRET = secret;
    });
    afterAll(async () => {
      delete process.env.VITRINE_TEST_SECRET;
      await runner.close();
      await rm(folder, { recursive: true });
    });

    const start = async (script: string, given: Partial<Isolation> = {}): Promise<Talk> => {
      const own = { TEST_OWN: "its own value" };
      const command = {
        argv: ["/bin/sh", "-c", script],
        env: { PATH: "/usr/bin:/bin", ...own },
        given: own,
      };
      const wrapped = await runner.wrap(command, { ...ISOLATION, ...isolation, ...given });
      const wire = new ChildWire(wrapped, LIMITS);
      const lines: string[] = [];
      wire.onmessage = (line) => lines.push(line);
      const end = new Promise<UpstreamError>((resolve) => {
        wire.onlost = resolve;
      });
      return { lines, wire, end };
    };
    /** Runs a script to its end. */
    const run = async (script: string, given?: Partial<Isolation>): Promise<string> => {
      // A pod is attached to after it has started, so nothing may be written before.
      const { wire, lines, end } = await start(`read -r go; ${script}`, given);
      await wire.send("go" as MessageText);
      await end;
      await wire.exited;
      return lines.join("\n");
    };

    test("starts a process here", async () => {
      expect(await runner.probe()).toBeUndefined();
    });

    test("passes lines in both directions, and its own variables", async () => {
      const { wire, lines } = await start('while read -r a; do echo "$a $TEST_OWN"; done');
      await wire.send("first" as MessageText);
      await wire.send("second" as MessageText);
      await until(() => lines.length === 2, startTime);
      expect(lines).toEqual(["first its own value", "second its own value"]);
      await wire.close();
    });

    test("reports the exit code and the output on stderr", async () => {
      const { wire, end } = await start("read -r a; echo why >&2; exit 7");
      await wire.send("go" as MessageText);
      const error = await end;
      expect(error.message).toContain("7");
      expect(error.facts.stderr).toContain("why");
      await wire.exited;
    });

    test("ends everything that the process started, in the time of a close", async () => {
      const mark = `${100_000 + Math.floor(Math.random() * 1e8)}`;
      const script = `read -r go; trap "" TERM HUP; sleep ${mark} & (setsid sleep ${mark} &) ; echo ready; read -r a; sleep ${mark}`;
      const { wire, lines } = await start(script);
      await wire.send("go" as MessageText);
      await until(() => lines.includes("ready"), startTime);
      await wire.close();
      await until(() => !isRunning(mark), 5000 + startTime);
    });

    test("shows no file, variable or process of the gateway (O5)", async () => {
      const script = `cat ${folder}/key; env; for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/environ; tr '\\0' ' ' <$p/cmdline; done; ls /proc/${process.pid}/cwd ${process.cwd()}; id`;
      const seen = await run(`${script} 2>&1`);
      expect(seen).not.toContain(secret);
      expect(seen).not.toContain("package.json");
      expect(seen).toContain("uid=");
      expect(seen).not.toContain("uid=0");
    });

    test("lets it write to its work folder only, which ends with it", async () => {
      const script =
        'touch /new /usr/new /etc/new /dev/new; ls "$HOME"; echo x >"$HOME/mine" && cat "$HOME/mine"; ls -d /new /usr/new /etc/new /dev/new';
      expect(await run(script)).toBe("x");
      expect(await run(script)).toBe("x");
    });

    test("limits its files", async () => {
      const seen = await run(
        'for n in 1 2 3 4; do dd if=/dev/zero of="$HOME/$n" bs=1M count=8 2>/dev/null; done; du -sm "$HOME" | cut -f1',
        { disk: 8 * 2 ** 20 },
      );
      // A pod that exceeds its limit is evicted by the node's agent.
      if (!isPod) expect(Number(seen)).toBeLessThanOrEqual(9);
    });

    test("limits its memory (O5)", async () => {
      const script = "dd if=/dev/zero of=/dev/null bs=900M count=1 2>/dev/null && echo taken";
      expect(await run(script, { memory: 64 * 2 ** 20 })).not.toContain("taken");
    });

    test.skipIf(isPod)("limits its processes (O5)", async () => {
      const script =
        "n=0; while [ $n -lt 60 ]; do sleep 20 2>/dev/null & n=$((n+1)); echo $n; done";
      const seen = await run(script, { processes: 24 });
      expect(seen.split("\n").length).toBeLessThan(40);
    });

    test.skipIf(isPod)("has no network (O5)", async () => {
      const seen = await run("cat /proc/net/dev /proc/net/route | grep -c -E '^ *(eth|en|wl|tap)'");
      expect(seen).toBe("0");
    });

    test("has no capabilities and can't gain any", async () => {
      const seen = await run("grep -E 'Cap(Eff|Prm|Bnd)|NoNewPrivs' /proc/self/status");
      expect(seen).toMatch(/CapPrm:\s*0+\n/);
      expect(seen).toMatch(/CapEff:\s*0+\n/);
      expect(seen).toMatch(/NoNewPrivs:\s*1/);
    });
  });
}

/** Whether a process of this machine has the text in its command line. */
function isRunning(mark: string): boolean {
  return readdirSync("/proc").some((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").includes(`sleep\0${mark}`);
    } catch {
      return false;
    }
  });
}
