// What every sink keeps: all records in order, at least once, from the stored position, whatever is down.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteEngine } from "@vitrine/gateway/engine";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAudit } from "../../../src/audit/index.ts";
import type { AuditSink } from "../../../src/audit/sinks/sink.ts";
import { SinkRunner } from "../../../src/audit/sinks/sink-runner.ts";

/** A receiver, and the sink that sends to it. */
export interface SinkTrial {
  createSink(): AuditSink;
  /** The names of tools in the received records, in order of arrival. */
  received(): Promise<string[]>;
  /** Starts the receiver again, with what it received before. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const LINE_BREAK = "evil\n<14>1 - - - - - - forged";

/** Runs the contract. */
export function testSink(name: string, open: (folder: string) => Promise<SinkTrial>): void {
  describe(`the sink ${name}`, { timeout: 60_000 }, () => {
    test("gets every record in order, also those of a time when it was down", async () => {
      const folder = await mkdtemp(join(tmpdir(), "vitrine-sink-"));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const trial = await open(folder);
      onTestFinished(() => trial.stop());
      const engine = await openSqliteEngine({ folder: join(folder, "engine") });
      const audit = await createAudit({ engine, node: "n1" });
      const problems: (string | undefined)[] = [];
      const run = (): SinkRunner =>
        new SinkRunner({
          ...{ engine, name: "trial", sink: trial.createSink(), interval: 5 },
          onProblem: (error) => void problems.push(error?.message),
          onNotice: () => {},
        });
      let count = 0;
      const expected: string[] = [];
      const record = async (more: number): Promise<void> => {
        for (let n = 0; n < more; n++, count++) {
          const tool = count === 3 ? LINE_BREAK : `t${count}`;
          audit.record({ event: "request", tool, decision: { verdict: "allow" } });
          expected.push(tool);
          if (n % 4 === 0) await audit.flushed();
        }
        await audit.flushed();
      };
      const arrived = (): Promise<unknown> =>
        vi.waitFor(async () => expect(unique(await trial.received())).toEqual(expected), {
          timeout: 30_000,
          interval: 50,
        });

      let runner = run();
      await record(10);
      await arrived();
      await trial.stop();
      // Calls are recorded as before, and the lag grows.
      await record(10);
      await vi.waitFor(() => expect(runner.state.problem).toBeDefined(), 20_000);
      await vi.waitFor(() => expect(runner.state.lag).toBeGreaterThan(0.2), 20_000);
      // Another process takes over where the first one stopped.
      await runner.close(100);
      await record(5);
      await trial.start();
      runner = run();
      await arrived();
      expect(runner.state.problem).toBeUndefined();
      await vi.waitFor(() => expect(runner.state.lag).toBe(0));
      await runner.close();
      // Logged once, not for each attempt.
      expect(problems).toHaveLength(1);
      await audit.close();
      await engine.close();
    });
  });
}

/** Without repeated ones: a batch may arrive again after a failure. */
function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
