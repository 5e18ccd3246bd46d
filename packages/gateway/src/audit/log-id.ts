import { randomBytes } from "node:crypto";
import type { Engine } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";

/**
 * The name of the log that an engine holds. Chains, heads, spools and archives refer to it, so that none of them is
 * continued with another log.
 */
export async function openLogId({ kv }: Pick<Engine, "kv">): Promise<string> {
  const bucket = kv("audit-log", { durable: true });
  const id = randomBytes(8).toString("hex");
  // Several processes may start at once: the first one names it.
  await bucket.create("id", Buffer.from(id)).catch((error: unknown) => {
    if (!(error instanceof EngineError) || error.code !== "exists") throw error;
  });
  const entry = await bucket.get("id");
  return entry ? Buffer.from(entry.value).toString() : id;
}
