// Searches the audit log, newest records first, a page at a time. The log can only be read forwards, so a
// search reads one window after the other, each before the last. A page ends when it is full or when its
// share of work is done: the caller continues with the cursor.

import type { Log, LogRecord } from "../engine/engine.ts";
import { PARTITION } from "./chain.ts";
import { type ReadRecord, recordsOf, timeOf } from "./reading.ts";

/** Which records to find. */
export interface AuditFilter {
  /** Milliseconds since 1970, both included. */
  since?: number | undefined;
  until?: number | undefined;
  tenant?: string | undefined;
  /** The user's name, or `tenant/name`. */
  user?: string | undefined;
  server?: string | undefined;
  tool?: string | undefined;
  verdict?: "allow" | "deny" | undefined;
  /** The id of a view's ticket. */
  view?: string | undefined;
  event?: string | undefined;
}

/** What to find, and where to continue. */
export interface AuditQueryOptions extends AuditFilter {
  log: Pick<Log, "read" | "bounds">;
  /** Records of a page. Defaults to 100; 1,000 at most. */
  limit?: number | undefined;
  /** The `next` of the previous page. */
  cursor?: string | undefined;
  /** Bytes of records to read for a page. */
  workBytes?: number | undefined;
}

/** A page of records, newest first. */
export interface AuditPage {
  readonly items: readonly ReadRecord[];
  /** Where the next page starts. A page may be empty and still have one. Undefined at the end. */
  readonly next?: string;
}

const LIMIT = 100;
const MOST = 1_000;
const WORK_BYTES = 16 * 2 ** 20;
const WINDOW_BYTES = 2 ** 20;
const LARGEST_WINDOW = 8 * WINDOW_BYTES;
const WINDOW = 64;
/**
 * Steps in succession that are older than `since` after which the search ends. Steps of several gateways are
 * nearly in order; those that waited for an engine that was away are stored later than newer ones.
 */
const OLDER_STEPS = 4_096;
const CURSOR = /^(\d{1,16})\.(\d{1,16})$/;
const TIME = /^(\d{1,9})\s*(s|m|h|d)$/;
const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Finds a page of records. Throws a `RangeError` if the cursor isn't one. */
export async function queryAudit(options: AuditQueryOptions): Promise<AuditPage> {
  const { log, workBytes = WORK_BYTES, since = Number.NEGATIVE_INFINITY } = options;
  const limit = Math.max(1, Math.min(options.limit ?? LIMIT, MOST));
  const start = options.cursor === undefined ? undefined : readCursor(options.cursor);
  const isWanted = auditFilter(options);
  const isFound = (record: ReadRecord): boolean =>
    (record.place !== start?.place || record.sequence < start.sequence) && isWanted(record);
  const items: ReadRecord[] = [];
  let work = 0;
  let older = 0;
  for await (const { sequence: place, record: step } of readBackwards(log, start?.place)) {
    items.push(...[...recordsOf(step, place)].filter(isFound).reverse());
    if (items.length > limit) return fullPage(items.slice(0, limit));
    older = timeOf(step) < since ? older + 1 : 0;
    work += step.length;
    if (older >= OLDER_STEPS) break;
    if (work >= workBytes) return { items, next: `${place}.0` };
  }
  return { items };
}

/** Whether a record is one of those to find. */
export function auditFilter(filter: AuditFilter): (record: ReadRecord) => boolean {
  const { since, until, tenant, user, server, tool, verdict, view, event } = filter;
  const is = (wanted: string | undefined, ...values: (string | undefined)[]): boolean =>
    wanted === undefined || values.includes(wanted);
  return ({ actor, decision, ...record }) => {
    const time = Date.parse(record.time);
    return (
      is(tenant, actor?.tenant) &&
      is(user, actor?.user, actor && `${actor.tenant}/${actor.user}`) &&
      is(server, record.server) &&
      is(tool, record.tool) &&
      is(verdict, decision?.verdict) &&
      is(view, actor?.view) &&
      is(event, record.event) &&
      !(since !== undefined && time < since) &&
      !(until !== undefined && time > until)
    );
  };
}

/** A time as people write it: ISO 8601, or how long ago (`90s`, `30m`, `2h`, `7d`). Undefined if neither. */
export function readTime(text: string, now: number = Date.now()): number | undefined {
  const [, count, unit] = TIME.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * UNITS[unit as keyof typeof UNITS];
  // `Date.parse` also reads texts like "May 1", whose meaning depends on the machine's time zone.
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** The steps of a log up to a position, the newest first. */
async function* readBackwards(
  log: AuditQueryOptions["log"],
  from: number | undefined,
): AsyncGenerator<LogRecord> {
  const bounds = await log.bounds(PARTITION);
  if (!bounds) return;
  let end = Math.min(from ?? bounds.last, bounds.last) + 1;
  for (let width = WINDOW; end > bounds.first; ) {
    const first = Math.max(bounds.first, end - width);
    const { steps, bytes, isWhole } = await readWindow(log, first, end);
    if (isWhole) {
      yield* steps.reverse();
      end = first;
    }
    width = nextWidth(end - first || width, { bytes, steps: steps.length, isWhole });
  }
}

interface WindowSize {
  bytes: number;
  steps: number;
  isWhole: boolean;
}

function nextWidth(width: number, { bytes, steps, isWhole }: WindowSize): number {
  if (!isWhole) return Math.ceil(width / 16);
  if (bytes > WINDOW_BYTES) return Math.ceil(width / 2);
  // Positions needn't be consecutive: on NATS there are 65,536 for each batch.
  return width * (steps === 0 ? 16 : 2);
}

/** The steps of a window. It isn't read to its end if it holds much more than the windows before it. */
async function readWindow(
  log: Pick<Log, "read">,
  from: number,
  end: number,
): Promise<{ steps: LogRecord[]; bytes: number; isWhole: boolean }> {
  const steps: LogRecord[] = [];
  let bytes = 0;
  for await (const step of log.read(PARTITION, from)) {
    if (step.sequence >= end) break;
    if (bytes > LARGEST_WINDOW && end - from > 1) return { steps, bytes, isWhole: false };
    bytes += step.record.length;
    steps.push(step);
  }
  return { steps, bytes, isWhole: true };
}

function fullPage(items: readonly ReadRecord[]): AuditPage {
  const { place = 0, sequence = 0 } = items.at(-1) ?? {};
  return { items, next: `${place}.${sequence}` };
}

function readCursor(text: string): { place: number; sequence: number } {
  const [, place, sequence] = CURSOR.exec(text) ?? [];
  if (place === undefined) throw new RangeError("The cursor isn't one of an earlier page.");
  return { place: Number(place), sequence: Number(sequence) };
}
