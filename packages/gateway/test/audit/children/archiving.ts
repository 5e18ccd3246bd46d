// Archives an audit log until it is killed from outside, and says how far it came. The engine is a folder, or
// NATS; small batches and segments make for many moments at which a kill hurts.

import { openFileEngine } from "@vitrine/gateway/engine";
import { openNatsEngine } from "@vitrine/gateway/nats";
import { startArchiver } from "../../../src/audit/archive/index.ts";

const [folder = "", place = "", prefix = ""] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const engine = place.startsWith("nats://")
  ? await openNatsEngine({ servers: [place], prefix })
  : await openFileEngine({ folder: place });
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
