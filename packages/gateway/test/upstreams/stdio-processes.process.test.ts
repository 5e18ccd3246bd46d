import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { resultOf, toolCall, until } from "./calls.ts";
import { processes, program, withProgram } from "./programs.ts";

// Answers two calls and crashes at the third. A shell, because two hundred of them start in a second.
const CRASH_LOOP = `n=0
while read -r line; do
  n=$((n + 1))
  [ $n -gt 2 ] && exit 1
  id=\${line#*\\"id\\":}
  echo '{"jsonrpc":"2.0","id":'"\${id%%,*}"',"result":{"resultType":"complete"}}'
done`;

const isAlive = (pid: number): boolean => {
  // A process nobody has waited for yet is dead all the same.
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

describe("processes of servers", { timeout: 90_000 }, () => {
  test("two hundred crashes in a row leave no process and no zombie, and repeat no call", async () => {
    const before = processes({ parent: process.pid }).length;
    const options = {
      era: "modern",
      restarts: { first: 1, longest: 2, stable: 30_000 },
      breaker: { failures: 1e9 },
    } as const;
    const outcomes: Record<string, number> = {};
    let most = 0;
    await withProgram(["/bin/sh", "-c", CRASH_LOOP], options, async (upstream) => {
      for (let n = 0; n < 600; n++) {
        const outcome = await upstream.send(toolCall("x")).then(
          () => "answered",
          (error) => error.code,
        );
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        if (n % 20 === 0) most = Math.max(most, processes({ parent: process.pid }).length);
      }
    });
    expect(outcomes).toEqual({ answered: 400, "outcome-unknown": 200 });
    // The process itself, one that is just being reaped, and the guard.
    expect(most - before).toBeLessThanOrEqual(3);
    await until(() => processes({ parent: process.pid }).length <= before + 1);
  });

  test("a crash loop opens the breaker, and the next attempt comes after its pause", async () => {
    const options = {
      era: "modern",
      restarts: { first: 1, longest: 2, stable: 30_000 },
      breaker: { failures: 5, rest: 300 },
    } as const;
    await withProgram(["/bin/sh", "-c", "read -r line; exit 1"], options, async (upstream) => {
      const codes = [];
      for (let n = 0; n < 7; n++)
        codes.push(await upstream.send(toolCall("x")).catch((e) => e.code));
      expect(codes).toEqual([...Array(5).fill("outcome-unknown"), "breaker-open", "breaker-open"]);
      await new Promise((resolve) => setTimeout(resolve, 450));
      expect(await upstream.send(toolCall("x")).catch((e) => e.code)).toBe("outcome-unknown");
      expect(await upstream.send(toolCall("x")).catch((e) => e.code)).toBe("breaker-open");
    });
  });

  test("closing kills a program that ignores the end of its input and SIGTERM, with its children", async () => {
    let pids: number[] = [];
    const options = { limits: { closeTime: 200 } };
    await withProgram(program("raw-stdio", "stubborn"), options, async (upstream) => {
      const { pid } = resultOf(await upstream.send(toolCall("echo")));
      pids = [pid, resultOf(await upstream.send(toolCall("grandchild"))).pid];
      expect(pids.map(isAlive)).toEqual([true, true]);
    });
    await until(() => !pids.some(isAlive));
  });

  test("closing does not wait for a program that never becomes ready", async () => {
    const options = { era: "legacy", limits: { closeTime: 100 } } as const;
    const argv = program("raw-stdio", "slow-start", "60000", "never-ready");
    let outcome: Promise<unknown> | undefined;
    const start = performance.now();
    await withProgram(argv, options, async (upstream) => {
      outcome = upstream.send(toolCall("x")).catch((error) => [error.code, error.sent]);
      await until(() => processes({ mark: "never-ready" }).length === 1);
    });
    expect(await outcome).toEqual(["closed", false]);
    expect(performance.now() - start).toBeLessThan(5000);
    await until(() => processes({ mark: "never-ready" }).length === 0);
  });

  test("impossible arguments make the start fail", async () => {
    await withProgram(["/bin/sh", "-c", "a\0b"], {}, async (upstream) => {
      await expect(upstream.send(toolCall("x"))).rejects.toMatchObject({
        code: "crashed",
        sent: false,
      });
    });
  });

  test("a crash also ends the processes that the program started", async () => {
    await withProgram(program("raw-stdio"), {}, async (upstream) => {
      const { pid } = resultOf(await upstream.send(toolCall("grandchild")));
      await upstream.send(toolCall("crash")).catch(() => {});
      await until(() => !isAlive(pid));
    });
  });

  test("a killed gateway leaves no process running, not even one that ignores signals", async () => {
    const gateway = fileURLToPath(import.meta.resolve("./doomed-gateway.ts"));
    const marker = `doomed-${process.pid}`;
    const [node, ...flags] = program("raw-stdio");
    const args = [...flags.slice(0, -1), gateway, marker, node, ...flags];
    const doomed = spawn(node, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(doomed.stdout, "data")) as [Buffer];
    const pids = JSON.parse(line.toString()) as number[];
    expect(pids).toHaveLength(4);
    expect(pids.map(isAlive)).toEqual([true, true, true, true]);
    doomed.kill("SIGKILL");
    await until(() => !pids.some(isAlive));
    await until(() => processes({ mark: marker }).length === 0);
  });
});
