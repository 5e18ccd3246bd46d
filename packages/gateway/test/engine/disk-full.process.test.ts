import { spawnSync } from "node:child_process";
import { openSqliteEngine } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { commandOf, startChild, testFolder } from "./children/child.ts";

const filler = new URL("./children/filler.ts", import.meta.url);
const syncing = new URL("./children/syncing.ts", import.meta.url);

interface Report {
  taken: string[];
  refused: string[];
  ended: string;
  small: string;
  blob: string;
  before: string;
  readWhileFull: string[];
  afterTrim: string;
  left: string[];
  reread: string[];
}

async function reportOf<Shape>(command: string[]): Promise<Shape> {
  const child = startChild(command);
  await child.ended;
  return JSON.parse((await child.said("report ")).slice("report ".length)) as Shape;
}

// A mount needs root or user namespaces, which not every machine has.
const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;
const canTrace = spawnSync("strace", ["-f", "true"]).status === 0;

test.runIf(canMount)(
  "a full disk rejects writes, keeps what it stored, and goes on after a trim",
  async () => {
    const folder = await testFolder();
    const mount = 'mount -t tmpfs -o size=16m tmpfs "$0" && exec "$@"';
    const run = ["unshare", "-rm", "sh", "-c", mount, folder, ...commandOf(filler, folder)];
    const report = await reportOf<Report>(run);
    expect([report.ended, report.small, report.blob]).toEqual(["full", "full", "full"]);
    expect(report.before).toBe("1");
    expect(report.taken.length).toBeGreaterThan(50);
    expect(report.readWhileFull).toEqual(report.taken);
    expect(report.afterTrim).toBe("ok");
    expect(report.left.at(-1)).toBe("after");
    expect(report.reread).toEqual(report.left);
    for (const id of report.refused) expect(report.reread).not.toContain(id);
  },
  60_000,
);

test("a limit on the size of files is a full disk too, and half a record leaves no trace", async () => {
  const folder = await testFolder();
  // In blocks of 1,024 bytes: the limit is reached within a page, which makes a short write.
  const limit = 'ulimit -f 601 && exec "$@"';
  const report = await reportOf<Report>([
    "bash",
    "-c",
    limit,
    "bash",
    ...commandOf(filler, folder),
  ]);
  expect([report.ended, report.small, report.blob]).toEqual(["full", "full", "full"]);
  expect(report.readWhileFull).toEqual(report.taken);
  expect(report.reread).toEqual(report.left);
  for (const id of report.refused) expect(report.reread).not.toContain(id);
}, 60_000);

test("a partition can be limited to less than the disk, and trimming makes room", async () => {
  const engine = await openSqliteEngine({ folder: await testFolder(), maxLogBytes: 20_000 });
  const append = (): Promise<unknown> => engine.log.append("audit", [new Uint8Array(1_000)]);
  let taken = 0;
  const refused = await (async () => {
    for (; ; taken++) await append();
  })().catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "full", message: expect.stringContaining("Trim it") });
  expect(taken).toBeGreaterThan(15);
  await engine.log.trim("audit", taken);
  await append();
  await engine.close();
});

interface SyncReport {
  acknowledged: number;
  codes: string[];
  stored: string[];
}

// strace counts the calls of the system, and lets one of them fail.
test.runIf(canTrace)(
  "nothing is acknowledged before an fsync, and many writers share one",
  async () => {
    const trace = ["strace", "-f", "-e", "trace=fsync,fdatasync,write", "-e", "signal=none"];
    const command = [...trace, ...commandOf(syncing, await testFolder(), "many")];
    const child = startChild(command);
    await child.ended;
    // strace writes to the same stream as everything else; a report of the child is a write to stdout.
    const calls = child.errors.join("").split("\n");
    const from = calls.findIndex((line) => line.includes('write(1, "begin'));
    const acknowledged = calls.findIndex((line) => line.includes('write(1, "acknowledged'));
    const isSync = (line: string): boolean => /\b(fsync|fdatasync)\(/.test(line);
    expect(from).toBeGreaterThan(0);
    expect(acknowledged).toBeGreaterThan(from);
    const syncs = calls.slice(from, acknowledged).filter(isSync).length;
    expect(syncs).toBeGreaterThan(0);
    // A hundred appends in one turn; a heartbeat or a checkpoint may come between.
    expect(syncs).toBeLessThanOrEqual(6);
  },
  60_000,
);

test.runIf(canTrace)(
  "a write that conflicts with one that the disk rejected hasn't lost: both fail",
  async () => {
    const inject = "inject=fsync,fdatasync:error=EIO:when=12+";
    const trace = ["strace", "-f", "-o", "/dev/null", "-e", inject];
    const command = [...trace, ...commandOf(syncing, await testFolder(), "leases")];
    const pairs = await reportOf<string[][]>(command);
    expect(pairs.slice(0, -1).length).toBeGreaterThan(0);
    for (const pair of pairs.slice(0, -1)) expect(pair).toEqual(["ok", "exists"]);
    expect(pairs.at(-1)).toEqual(["unavailable", "unavailable"]);
  },
  60_000,
);

test.runIf(canTrace)(
  "after an fsync that failed nothing more is stored, and what was rejected isn't visible",
  async () => {
    const folder = await testFolder();
    const inject = "inject=fsync,fdatasync:error=EIO:when=12+";
    const trace = ["strace", "-f", "-o", "/dev/null", "-e", inject];
    const report = await reportOf<SyncReport>([...trace, ...commandOf(syncing, folder, "failing")]);
    expect(report.acknowledged).toBeGreaterThan(0);
    expect(new Set(report.codes)).toEqual(new Set(["unavailable"]));
    const engine = await openSqliteEngine({ folder });
    const stored: string[] = [];
    for await (const { record } of engine.log.read("audit")) stored.push(`${Buffer.from(record)}`);
    // The record whose fsync failed may exist or not, because it wasn't acknowledged.
    expect(stored.length).toBeGreaterThanOrEqual(report.acknowledged);
    expect(stored.length).toBeLessThanOrEqual(report.acknowledged + 1);
    expect(report.stored).toEqual(stored.slice(0, report.acknowledged));
    await engine.log.append("audit", [Buffer.from("works again")]);
    await engine.close();
  },
  60_000,
);
