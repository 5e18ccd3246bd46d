import { spawnSync } from "node:child_process";
import { openFileEngine } from "@vitrine/gateway/engine";
import { expect, test, vi } from "vitest";
import { commandOf, startChild, testFolder } from "./children/child.ts";

const filler = new URL("./children/filler.ts", import.meta.url);

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

async function reportOf(command: string[]): Promise<Report> {
  const child = startChild(command);
  return JSON.parse((await child.said("report ")).slice("report ".length)) as Report;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
// A mount of one's own needs root or user namespaces, which not every machine has.
const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

test.runIf(canMount)(
  "a disk that is really full refuses, keeps what it took, and goes on after a trim",
  async () => {
    const folder = await testFolder();
    const mount = 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"';
    const report = await reportOf([
      "unshare",
      "-rm",
      "sh",
      "-c",
      mount,
      folder,
      ...commandOf(filler, folder),
    ]);
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
  // In blocks of 1,024 bytes: the limit is met within a record, which makes a short write.
  const report = await reportOf([
    "bash",
    "-c",
    'ulimit -f 50 && exec "$@"',
    "bash",
    ...commandOf(filler, folder),
  ]);
  expect([report.ended, report.small, report.blob]).toEqual(["full", "full", "full"]);
  expect(report.readWhileFull).toEqual(report.taken);
  expect(report.reread).toEqual(report.left);
  for (const id of report.refused) expect(report.reread).not.toContain(id);
}, 60_000);

test("a partition may be given less than the disk, and trimming makes room", async () => {
  const engine = await openFileEngine({
    folder: await testFolder(),
    maxLogBytes: 20_000,
    segmentBytes: 5_000,
  });
  const append = (): Promise<unknown> => engine.log.append("audit", [new Uint8Array(1_000)]);
  let taken = 0;
  const refused = await (async () => {
    for (; ; taken++) await append();
  })().catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "full", message: expect.stringContaining("Trim the log") });
  expect(taken).toBeGreaterThan(15);
  await engine.log.trim("audit", taken);
  await append();
  await engine.close();
});

/** Lets the next sync of any file fail as a broken disk would. */
async function breakNextSync(): Promise<{ mockRestore(): void }> {
  const { open } = await import("node:fs/promises");
  const handle = await open("/dev/null", "r");
  const prototype = Object.getPrototypeOf(handle) as { datasync(): Promise<void> };
  await handle.close();
  const error = Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
  return vi.spyOn(prototype, "datasync").mockRejectedValueOnce(error);
}

test("after a sync that failed nothing more is written to that file, and nobody sees what was refused", async () => {
  const folder = await testFolder();
  const engine = await openFileEngine({ folder });
  const grants = engine.kv("grants", { durable: true });
  await grants.put("a", bytes("safe"));
  await engine.log.append("audit", [bytes("safe")]);

  let spy = await breakNextSync();
  const refused = await grants.put("a", bytes("refused")).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "unavailable" });
  expect(String(refused)).toContain("EIO");
  expect(Buffer.from((await grants.get("a"))?.value ?? []).toString()).toBe("safe");
  await expect(grants.put("b", bytes("later"))).rejects.toMatchObject({ code: "unavailable" });
  spy.mockRestore();

  spy = await breakNextSync();
  await expect(engine.log.append("audit", [bytes("refused")])).rejects.toMatchObject({
    code: "unavailable",
  });
  await expect(engine.log.append("audit", [bytes("later")])).rejects.toMatchObject({
    code: "unavailable",
  });
  spy.mockRestore();
  await engine.close();

  const again = await openFileEngine({ folder });
  expect(Buffer.from((await again.kv("grants").get("a"))?.value ?? []).toString()).toBe("safe");
  const records: string[] = [];
  for await (const { record } of again.log.read("audit"))
    records.push(Buffer.from(record).toString());
  expect(records).toEqual(["safe"]);
  await again.log.append("audit", [bytes("works again")]);
  await again.close();
});

test("who loses to a write that the disk refused has not lost: all of the group hear of the disk", async () => {
  const engine = await openFileEngine({ folder: await testFolder() });
  const leases = engine.kv("leases", { durable: true });
  await leases.put("other", bytes("x"));
  const spy = await breakNextSync();
  const both = await Promise.allSettled([
    leases.create("lease", bytes("1")),
    leases.create("lease", bytes("2")),
  ]);
  spy.mockRestore();
  expect(both).toMatchObject([
    { reason: { code: "unavailable" } },
    { reason: { code: "unavailable" } },
  ]);
  await engine.close();
});

test("nothing is acknowledged before it was synced, and many share one sync", async () => {
  const engine = await openFileEngine({ folder: await testFolder() });
  await engine.log.append("audit", [bytes("first")]);
  const { open } = await import("node:fs/promises");
  const handle = await open("/dev/null", "r");
  const prototype = Object.getPrototypeOf(handle) as { datasync(): Promise<void> };
  await handle.close();
  const events: string[] = [];
  const sync = prototype.datasync;
  const spy = vi.spyOn(prototype, "datasync").mockImplementation(async function (this: unknown) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await sync.call(this as never);
    events.push("sync");
  });
  await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      await engine.log.append("audit", [bytes(String(n))]);
      events.push("acknowledged");
    }),
  );
  spy.mockRestore();
  expect(events[0]).toBe("sync");
  expect(events.filter((event) => event === "sync").length).toBeLessThanOrEqual(2);
  expect(events.filter((event) => event === "acknowledged")).toHaveLength(100);
  await engine.close();
});
