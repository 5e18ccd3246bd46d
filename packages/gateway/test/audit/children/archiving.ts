// Archives an audit log until it is killed, and prints its progress. Small batches and segments make for many
// moments at which a kill can do damage.

import { once } from "node:events";
import { createMemoryEngine, type Engine, openSqliteEngine } from "@vitrine/gateway/engine";
import { startArchiver } from "../../../src/audit/archive/index.ts";
import { openLogId } from "../../../src/audit/index.ts";

const [folder = "", data = "", mode = ""] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const engine = await openSqliteEngine({ folder: data });

/** Once its files are limited, the database takes no writes: only the log is read from it. */
async function readingOnly(): Promise<Engine> {
  const memory = createMemoryEngine();
  const id = Buffer.from(await openLogId(engine));
  await memory.kv("audit-log", { durable: true }).put("id", id);
  say("ready");
  await once(process.stdin, "data");
  return { ...engine, kv: (bucket, options) => memory.kv(bucket, options) };
}

const source = mode === "limited" ? await readingOnly() : engine;
const archiver = await startArchiver({
  ...{ engine: source, folder, node: `archiver-${process.pid}`, interval: 1 },
  ...{ batchBytes: 2_000, rotateBytes: 30_000 },
  onProblem: (error) => say(error ? `problem ${(error as { code?: string }).code}` : "again"),
  onNotice: (text) => say(`notice ${text}`),
});
say("open");
let last = -1;
setInterval(() => {
  const { isWriting, place: reached } = archiver.state;
  if (reached !== last) say(`${isWriting ? "writing" : "waiting"} ${reached}`);
  last = reached;
}, 5);
process.once("SIGTERM", () => void archiver.close().then(() => process.exit(0)));
