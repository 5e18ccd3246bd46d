import type { Log, LogRecord } from "@vitrine/gateway/engine";
import { createMemoryEngine } from "@vitrine/gateway/engine";
import { type AuditOptions, type ChainHead, createAudit } from "../../src/audit/index.ts";

/** An audit log as it lies in an engine: the bytes of each step, and the head that was left. */
export interface StoredLog {
  steps: Uint8Array[];
  heads: ChainHead[];
}

/** Writes lives of one node, each with steps of so many records. */
export async function writeLog(
  lives: readonly { steps: readonly number[]; end?: boolean }[],
  options: Partial<AuditOptions> = {},
  given: unknown = { city: "Tromsø" },
): Promise<StoredLog> {
  const engine = createMemoryEngine();
  // Tests combine the steps of several engines, as if they were one log.
  await engine.kv("audit-log", { durable: true }).put("id", Buffer.from("0123456789abcdef"));
  const heads: ChainHead[] = [];
  for (const { steps, end = true } of lives) {
    const audit = await createAudit({ engine, node: "n1", level: "full", ...options });
    for (const count of steps) {
      for (let n = 0; n < count; n++) {
        audit.record({ event: "request", tool: `tool-${n}`, arguments: given });
      }
      await audit.flushed();
    }
    if (end) await audit.close();
    heads.push(audit.state.head);
  }
  const stored: StoredLog = { steps: [], heads };
  for await (const { record } of engine.log.read("audit")) stored.steps.push(record);
  return stored;
}

/** A log that holds just these bytes. */
export function logOf(steps: readonly Uint8Array[], first = 1): Pick<Log, "read" | "bounds"> {
  const records: LogRecord[] = steps.map((record, place) => ({ sequence: first + place, record }));
  return {
    read: async function* (_, from = 0) {
      for (const record of records) if (record.sequence >= from) yield record;
    },
    bounds: async () =>
      records.length > 0 ? { first, last: first + records.length - 1 } : undefined,
  };
}

/** The lines of a step, without their ends. */
export const linesOf = (step: Uint8Array): string[] =>
  Buffer.from(step).toString("latin1").split("\n").slice(0, -1);

/** A step of lines. */
export const stepOf = (lines: readonly string[]): Uint8Array =>
  Buffer.from(`${lines.join("\n")}\n`, "latin1");
