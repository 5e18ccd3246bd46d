// Archives an audit log on NATS until it is killed, and prints its progress. Small batches and segments make
// for many moments at which a kill can do damage.

import { openNatsEngine } from "@vitrine/cluster";
import { startArchiver } from "../../../../gateway/src/audit/archive/index.ts";

const [folder = "", server = "", prefix = ""] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const engine = await openNatsEngine({ servers: [server], prefix });
const archiver = await startArchiver({
  ...{ engine, folder, node: `archiver-${process.pid}`, interval: 1 },
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
