import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { openSqliteEngine, openSqliteReader } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { readAudit, verifyAudit } from "../../src/audit/index.ts";
import { commandOf, startChild, testFolder } from "../engine/children/child.ts";

const recorder = new URL("./children/recorder.ts", import.meta.url);
const filler = new URL("./children/filler.ts", import.meta.url);
const KILLS = 10;
const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

async function everyByte(folder: string): Promise<string> {
  let text = "";
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) text += await readFile(join(entry.parentPath, entry.name), "latin1");
  }
  return text;
}

test(`after each of ${KILLS} kills the chain verifies with one named gap, and what was stored is there once`, {
  timeout: 120_000,
}, async () => {
  const folder = await testFolder();
  const stored = new Set<string>();
  for (let life = 0; life < KILLS; life++) {
    const child = startChild(commandOf(recorder, folder, String(life)));
    await child.said("stored ");
    // The log can be verified while it is being written.
    if (life === 3) {
      const reader = openSqliteReader({ folder });
      const running = await verifyAudit({ log: reader.log, heads: reader.kv("audit-heads") });
      expect([running.findings, running.gaps.length]).toEqual([[], 3]);
    }
    await new Promise((resolve) => setTimeout(resolve, (life * 31) % 200));
    child.process.kill("SIGKILL");
    await child.ended;
    for (const line of child.lines) {
      const last = Number(line.split(".")[1]);
      for (let n = 1; n <= last; n++) stored.add(`${life}.${n}`);
    }
    const engine = await openSqliteEngine({ folder });
    const result = await verifyAudit({ log: engine.log, heads: engine.kv("audit-heads") });
    expect(result.findings).toEqual([]);
    // The newest life is not known to be dead before the next one begins.
    expect(result.gaps.map(({ kind }) => kind)).toEqual(new Array(life).fill("killed"));
    const tools: string[] = [];
    for await (const { tool } of readAudit({ log: engine.log })) tools.push(tool ?? "");
    expect(new Set(tools).size).toBe(tools.length);
    const there = new Set(tools);
    expect([...stored].filter((tool) => !there.has(tool))).toEqual([]);
    await engine.close();
  }
  expect(stored.size).toBeGreaterThan(KILLS * 7);
  expect(await everyByte(folder)).not.toContain("canary-password");
});

interface Report {
  allowed: number;
  refused: number;
  code: string;
  status: string;
  after: string;
  dropped: number;
  records: number;
  lastTool: string;
  ok: boolean;
  findings: unknown[];
  kinds: string[];
}

async function fill(onFull: string): Promise<Report> {
  const folder = await testFolder();
  const mount = 'mount -t tmpfs -o size=2m tmpfs "$0" && exec "$@"';
  const script = commandOf(filler, folder, onFull);
  const child = startChild(["unshare", "-rm", "sh", "-c", mount, folder, ...script]);
  return JSON.parse((await child.said("report ")).slice("report ".length)) as Report;
}

test.runIf(canMount)(
  "a full disk stops calls, the process stays up, and after a trim it goes on with a whole chain",
  async () => {
    const report = await fill("reject");
    expect(report).toMatchObject({ refused: 50, code: "full", status: "failing", after: "ok" });
    expect(report).toMatchObject({ ok: true, findings: [], dropped: 0, lastTool: "after" });
    expect(report.kinds).toEqual(["trimmed"]);
    expect(report.allowed).toBeGreaterThan(100);
  },
  60_000,
);

test.runIf(canMount)(
  "a full disk lets calls through with drop-bodies, and the chain tells how many it lost",
  async () => {
    const report = await fill("drop-bodies");
    expect(report).toMatchObject({ refused: 0, status: "failing", after: "ok" });
    expect(report).toMatchObject({ ok: false, lastTool: "after" });
    expect(report.findings).toMatchObject([{ kind: "dropped" }]);
    expect(report.dropped).toBeGreaterThan(1_000);
    expect(report.kinds).toEqual(["trimmed"]);
  },
  60_000,
);
