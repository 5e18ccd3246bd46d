// The commands `audit verify|tail|export`.

import { printable } from "@vitrine/protocol/printable";
import { ArchiveError, type SegmentFinding } from "../audit/archive/index.ts";
import { toAscii } from "../audit/ascii.ts";
import {
  exportAudit,
  HEADS_BUCKET,
  type ReadRecord,
  tailAudit,
  type Verification,
  verifyAudit,
} from "../audit/index.ts";
import { type AuditFilter, auditFilter, readTime } from "../audit/query.ts";
import { EngineError } from "../engine/index.ts";
import type { AuditSource } from "./audit-source.ts";
import { OperatorError } from "./operator-error.ts";

/** Where a command writes. */
export type Print = (text: string) => void;

/** Which records to print, and how. */
export interface AuditQuery extends AuditFilter {
  source: AuditSource;
  last: number;
  follow?: AbortSignal;
  /** Print lines of JSON. */
  json: boolean;
}

/** The options of a command that select records. */
interface FilterOptions {
  since?: string | undefined;
  until?: string | undefined;
  tenant?: string | undefined;
  user?: string | undefined;
  server?: string | undefined;
  tool?: string | undefined;
  view?: string | undefined;
  denied?: boolean | undefined;
}

/** Reads the options that select records. Throws an `OperatorError` if a time isn't one. */
export function readFilter(given: FilterOptions): AuditFilter {
  const { tenant, user, server, tool, view, denied } = given;
  return {
    ...{ tenant, user, server, tool, view, verdict: denied ? "deny" : undefined },
    since: timeOption("since", given.since),
    until: timeOption("until", given.until),
  };
}

function timeOption(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = readTime(text);
  if (time !== undefined) return time;
  const message = `--${name} "${text}" isn't a time. Pass 2026-03-01T12:00:00Z, or how long ago: 90s, 30m, 2h, 7d.`;
  throw new OperatorError("usage", message);
}

/** Prints whether the log is unmodified. Returns false if it isn't. */
export async function verifyCommand(source: AuditSource, print: Print): Promise<boolean> {
  const { log, kv, keys, check, anchor } = source;
  try {
    const files: SegmentFinding[] = [];
    for await (const finding of check?.() ?? []) files.push(finding);
    const found = await verifyAudit({
      log,
      heads: kv(HEADS_BUCKET),
      ...(keys && { keys }),
      ...(anchor && { anchor }),
      isArchive: check !== undefined,
    });
    const isWhole = !files.some(({ kind }) => kind === "missing" || kind === "changed");
    for (const line of report(found, files, found.ok && isWhole)) print(`${printable(line)}\n`);
    return found.ok && isWhole;
  } catch (error) {
    // The engine's own checksums don't match, so there is no step to check.
    const isDamage =
      (error instanceof EngineError && error.code === "corrupt") ||
      (error instanceof ArchiveError && error.code === "damaged");
    if (!isDamage) throw error;
    print(`WRONG   ${printable(error.message)}\nThe log was MODIFIED or damaged.\n`);
    return false;
  }
}

/** The newest records. */
export async function tailCommand(query: AuditQuery, print: Print): Promise<void> {
  const { source, last, follow, json } = query;
  const options = { log: source.log, last, where: auditFilter(query), ...(follow && { follow }) };
  for await (const record of tailAudit(options)) {
    // A tool's name may contain line breaks or terminal control sequences (G143).
    print(`${toAscii(json ? JSON.stringify(record) : lineOf(record))}\n`);
  }
}

/** All records, as lines of JSON. */
export async function exportCommand(query: AuditQuery, print: Print): Promise<void> {
  const { log } = query.source;
  for await (const line of exportAudit({ log, where: auditFilter(query) })) print(line);
}

function* report(
  { records, repeats, steps, chains, keys, findings, gaps }: Verification,
  files: readonly SegmentFinding[],
  ok: boolean,
): Generator<string> {
  const runs = chains.length === 1 ? "1 run" : `${chains.length} runs`;
  yield `${records} records in ${steps} steps, of ${runs} of the gateway.`;
  if (repeats > 0) yield `${repeats} more denials are counted in some of them.`;
  for (const { id, steps: made, from, to } of keys) {
    yield `Key ${id} made ${made === 1 ? "1 step" : `${made} steps`}, from ${from} to ${to}.`;
  }
  for (const { kind, text } of files) {
    yield `${kind === "missing" || kind === "changed" ? "WRONG  " : "missing"} ${text}`;
  }
  for (const { text } of findings) yield `WRONG   ${text}`;
  for (const { text } of gaps) yield `missing ${text}`;
  if (!ok) yield "The log was MODIFIED or damaged.";
  else if (gaps.length > 0 || files.length > 0) {
    yield "No stored record was changed or removed, but the log has the gaps listed above.";
  } else yield "The log is complete and unmodified.";
}

/** Formats one record for a person: when, what, who, where, why. */
function lineOf(record: ReadRecord): string {
  const { time, event, actor, server, method, tool, decision, outcome, duration, detail } = record;
  const { repeats } = record;
  const columns = [
    time,
    (decision?.verdict ?? outcome?.kind ?? event).padEnd(7),
    decision?.verdict === "deny" ? `${decision.link}: ${decision.code}` : outcome?.code,
    actor && `${actor.tenant}/${actor.user}${actor.view ? ` view ${actor.view.slice(0, 8)}` : ""}`,
    server,
    method,
    tool,
    duration === undefined ? undefined : `${duration.toFixed(1)} ms`,
    repeats && `${repeats.count} more since ${repeats.from}`,
    detail === undefined ? undefined : JSON.stringify(detail),
  ];
  return columns.filter((column) => column !== undefined && column !== "").join("  ");
}
