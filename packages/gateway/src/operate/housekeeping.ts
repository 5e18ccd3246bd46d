// Lets go of what nobody needs any more: records of the audit log that are older, or more, than an operator
// wants to keep, and the HTML of Views that nobody has opened for long.

import { ARCHIVES_BUCKET, type ArchiveProgress, slowestArchive } from "../audit/archive/index.ts";
import { readStepHead } from "../audit/chain.ts";
import type { Audit } from "../audit/index.ts";
import type { Engine } from "../engine/engine.ts";
import type { Log } from "./log.ts";

/** How long things are kept. */
export interface Keeping {
  /** Days that records of the audit log are kept; all of them if it is not set. */
  auditDays?: number | undefined;
  /** Bytes of the audit log; the oldest go first. */
  auditBytes?: number | undefined;
  /** Days since a View was last opened, after which its HTML goes. */
  documentDays: number;
}

export interface HousekeepingOptions {
  engine: Pick<Engine, "log" | "blob" | "kv">;
  audit: Pick<Audit, "record">;
  log: Pick<Log, "info" | "warn" | "error">;
  keeping: Keeping;
  clock?: () => number;
  /** Milliseconds between two rounds. */
  interval?: number;
}

/** Goes round from time to time. */
export interface Housekeeping {
  /** Goes round now. */
  run(): Promise<void>;
  /** A round that has begun comes to its end. */
  close(): Promise<void>;
}

const DAY = 24 * 60 * 60_000;
const HOUR = 60 * 60_000;
const PARTITION = "audit";

/** Starts it; the first round is an interval away unless somebody asks for it. */
export function startHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { engine, log, keeping, clock = Date.now, interval = HOUR } = options;
  if (keeping.auditBytes !== undefined && !engine.log.bytes) {
    log.warn("audit.keepBytes has no effect: this engine does not say how large its log is");
  }
  let running: Promise<void> | undefined;

  const round = async (): Promise<void> => {
    try {
      await trimAudit(options, clock());
      const swept = await engine.blob.sweep?.(clock() - keeping.documentDays * DAY);
      if (swept) log.info({ documents: swept }, "documents that nobody opened were let go of");
    } catch (error) {
      log.error({ cause: `${error}` }, "housekeeping failed; it is tried again");
    } finally {
      running = undefined;
    }
  };
  const run = (): Promise<void> => {
    running ??= round();
    return running;
  };
  const timer = setInterval(() => void run(), interval);
  timer.unref();
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await running;
  };
  return { run, close };
}

/** Trims the audit log; that it was, and up to where, is recorded in what is left of it. */
async function trimAudit({ engine, audit, log, keeping }: HousekeepingOptions, now: number) {
  const before = await engine.log.bounds(PARTITION);
  if (!before) return;
  const found = await findCut(engine, keeping, now);
  if (!found) return;
  // Wherever it is written: what is not archived is not let go of.
  const slowest = await slowestArchive(engine);
  const place = Math.min(found.place, (slowest?.place ?? Number.POSITIVE_INFINITY) + 1);
  if (slowest && place < found.place) tellOfArchive(slowest, log, now);
  await engine.log.trim(PARTITION, place);
  const after = await engine.log.bounds(PARTITION);
  // Whole files go: it may be that none is old enough as a whole.
  const first = after?.first ?? place;
  if (first <= before.first) return;
  audit.record({
    event: "operator",
    detail: { action: "trim", steps: first - before.first, first },
  });
  log.info({ steps: first - before.first, first }, "old audit records were let go of");
}

/** An archive that nobody writes any more would keep the log growing for ever: that must be seen. */
function tellOfArchive(
  { id, node, folder, time }: ArchiveProgress,
  log: HousekeepingOptions["log"],
  now: number,
): void {
  const facts = { archive: id, node, folder, since: time };
  if (now - Date.parse(time) < DAY) log.info(facts, "old audit records wait for the archive");
  else {
    log.warn(
      facts,
      `old audit records are kept because this archive does not go on; if it is gone for good, delete its key from the bucket ${ARCHIVES_BUCKET}`,
    );
  }
}

/** The first place to be kept. Only what goes is read, and one step more. */
async function findCut(
  { log }: Pick<Engine, "log">,
  { auditDays, auditBytes }: Keeping,
  now: number,
): Promise<{ place: number } | undefined> {
  const oldest = auditDays === undefined ? Number.NEGATIVE_INFINITY : now - auditDays * DAY;
  const size = auditBytes === undefined ? 0 : ((await log.bytes?.(PARTITION)) ?? 0);
  let over = auditBytes === undefined ? 0 : size - auditBytes;
  let place: number | undefined;
  for await (const { sequence, record } of log.read(PARTITION)) {
    const time = Date.parse(`${readStepHead(record)?.time}`);
    if (over <= 0 && !(time < oldest)) break;
    over -= record.length;
    place = sequence + 1;
  }
  return place === undefined ? undefined : { place };
}
