// Deletes expired data: audit records beyond the configured age or size, and the HTML of Views that nobody
// opened for long.

import { ARCHIVES_BUCKET, type ArchiveProgress, slowestArchive } from "../audit/archive/index.ts";
import { PARTITION, readStepHead } from "../audit/chain.ts";
import type { Audit } from "../audit/index.ts";
import type { Engine } from "../engine/engine.ts";
import type { Log } from "../observability/log.ts";

/** Retention limits. */
export interface Retention {
  /** Days to keep audit records. Undefined to keep all. */
  auditDays?: number | undefined;
  /** Maximum bytes of the audit log. The oldest records are deleted first. */
  auditBytes?: number | undefined;
  /** Days to keep a View's HTML after it was last opened. */
  documentDays: number;
}

export interface HousekeepingOptions {
  engine: Pick<Engine, "log" | "blob" | "kv">;
  audit: Pick<Audit, "record">;
  log: Pick<Log, "info" | "warn" | "error">;
  retention: Retention;
  clock?: () => number;
  /** Milliseconds between two runs. */
  interval?: number;
}

/** Deletes expired data periodically. */
export interface Housekeeping {
  /** Runs now. */
  run(): Promise<void>;
  /** Waits for a run in progress. */
  close(): Promise<void>;
}

const DAY = 24 * 60 * 60_000;
const HOUR = 60 * 60_000;

/** Starts the periodic deletion. The first run is one interval away. */
export function startHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { engine, log, retention, clock = Date.now, interval = HOUR } = options;
  if (retention.auditBytes !== undefined && !engine.log.bytes) {
    log.warn("audit.keepBytes has no effect: this engine doesn't report the size of its log");
  }
  let running: Promise<void> | undefined;

  const round = async (): Promise<void> => {
    try {
      await trimAudit(options, clock());
      const swept = await engine.blob.sweep?.(clock() - retention.documentDays * DAY);
      if (swept) log.info({ documents: swept }, "deleted unused documents");
    } catch (error) {
      log.error({ cause: `${error}` }, "housekeeping failed and will be retried");
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

/** Trims the audit log. The remaining log records that, and up to which position. */
async function trimAudit({ engine, audit, log, retention }: HousekeepingOptions, now: number) {
  const before = await engine.log.bounds(PARTITION);
  if (!before) return;
  const found = await findCut(engine, retention, now);
  if (!found) return;
  // Never deletes records that aren't archived, whichever process writes the archive.
  const slowest = await slowestArchive(engine);
  const position = Math.min(found.position, (slowest?.place ?? Number.POSITIVE_INFINITY) + 1);
  if (slowest && position < found.position) logArchiveDelay(slowest, log, now);
  await engine.log.trim(PARTITION, position);
  const after = await engine.log.bounds(PARTITION);
  // Only whole files are deleted, so possibly none is old enough.
  const first = after?.first ?? position;
  if (first <= before.first) return;
  audit.record({
    event: "operator",
    detail: { action: "trim", steps: first - before.first, first },
  });
  log.info({ steps: first - before.first, first }, "deleted old audit records");
}

/** An abandoned archive would make the log grow for ever, so warn about it. */
function logArchiveDelay(
  { id, node, folder, time }: ArchiveProgress,
  log: HousekeepingOptions["log"],
  now: number,
): void {
  const facts = { archive: id, node, folder, since: time };
  if (now - Date.parse(time) < DAY)
    log.info(facts, "old audit records are waiting for the archive");
  else {
    log.warn(
      facts,
      `old audit records are kept because this archive has stopped. If it was removed for good, delete its key from the bucket ${ARCHIVES_BUCKET}`,
    );
  }
}

/** The first position to keep. Reads only the records to delete and one more step. */
async function findCut(
  { log }: Pick<Engine, "log">,
  { auditDays, auditBytes }: Retention,
  now: number,
): Promise<{ position: number } | undefined> {
  const oldest = auditDays === undefined ? Number.NEGATIVE_INFINITY : now - auditDays * DAY;
  const size = auditBytes === undefined ? 0 : ((await log.bytes?.(PARTITION)) ?? 0);
  let over = auditBytes === undefined ? 0 : size - auditBytes;
  let position: number | undefined;
  for await (const { sequence, record } of log.read(PARTITION)) {
    const time = Date.parse(`${readStepHead(record)?.time}`);
    if (over <= 0 && !(time < oldest)) break;
    over -= record.length;
    position = sequence + 1;
  }
  return position === undefined ? undefined : { position };
}
