import { readdir } from "node:fs/promises";
import type { Engine, Kv, LogRecord } from "@vitrine/gateway/engine";
import { type ArchiverOptions, startArchiver } from "../../src/audit/archive/archiver.ts";
import { openArchiveReader } from "../../src/audit/archive/index.ts";
import { createAudit, HEADS_BUCKET, verifyAudit } from "../../src/audit/index.ts";

export const KEYS = [{ id: "a1", secret: new Uint8Array(32).fill(7) }];

/** What an archiver said while it ran. */
export interface Said {
  problems: (string | undefined)[];
  notices: string[];
}

/** An archiver that polls all the time, and its output. */
export async function openArchiver(
  engine: Engine,
  folder: string,
  more: Partial<ArchiverOptions> = {},
): Promise<{ archiver: Awaited<ReturnType<typeof startArchiver>>; said: Said }> {
  const said: Said = { problems: [], notices: [] };
  const archiver = await startArchiver({
    ...{ engine, folder, node: "test", interval: 5 },
    onProblem: (error) => void said.problems.push(error?.message),
    onNotice: (text) => void said.notices.push(text),
    ...more,
  });
  return { archiver, said };
}

/** A life of a node: so many records, each stored before the next few. */
export async function record(engine: Engine, node: string, count: number): Promise<void> {
  const audit = await createAudit({ engine, node, keys: KEYS });
  for (let n = 0; n < count; n++) {
    audit.record({ event: "request", tool: `${node}-${n}`, arguments: { n } });
    if (n % 5 === 0) await audit.flushed();
  }
  await audit.close();
}

/** What a log holds, as text that can be compared. */
export async function stepsOf(log: Pick<Engine["log"], "read">): Promise<string[]> {
  const steps: string[] = [];
  for await (const { sequence, record: bytes } of log.read("audit") as AsyncIterable<LogRecord>) {
    steps.push(`${sequence} ${Buffer.from(bytes).toString("latin1")}`);
  }
  return steps;
}

/** The archive as it lies there: its steps, what a verifier finds, and what is wrong with its files. */
export async function lookInto(folder: string) {
  const reader = await openArchiveReader(folder);
  const files: string[] = [];
  for await (const { kind, segment } of reader.check()) files.push(`${kind} ${segment}`);
  const found = await verifyAudit({
    log: reader.log,
    heads: reader.kv(HEADS_BUCKET),
    keys: KEYS,
    isArchive: true,
  });
  return { reader, files, found, steps: await stepsOf(reader.log) };
}

/** Its segments, oldest first. */
export async function segmentsOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".gz")).sort();
}

/** A bucket of which some methods are others. */
export function bound(kv: Kv, others: Partial<Kv>): Kv {
  return {
    create: (...args) => kv.create(...args),
    update: (...args) => kv.update(...args),
    put: (...args) => kv.put(...args),
    get: (...args) => kv.get(...args),
    delete: (...args) => kv.delete(...args),
    keys: (...args) => kv.keys(...args),
    watch: (...args) => kv.watch(...args),
    ...others,
  };
}
