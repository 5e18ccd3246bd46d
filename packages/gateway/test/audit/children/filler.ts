// Records until the disk is full, then frees some of it, and reports what it saw.

import { openSqliteEngine } from "@vitrine/gateway/engine";
import { type AuditError, createAudit, readAudit, verifyAudit } from "../../../src/audit/index.ts";

const [folder = "", onFull = "reject"] = process.argv.slice(2);
const engine = await openSqliteEngine({ folder, reserveBytes: 2 ** 20 });
const audit = await createAudit({
  engine,
  node: "n1",
  onFull: onFull as "reject" | "drop-bodies",
  maxQueueBytes: 50_000,
});
let allowed = 0;
let refused = 0;
let code = "";
for (let n = 0; n < 20_000 && refused < 50; n++) {
  try {
    audit.record({ event: "request", tool: `tool-${n}`, arguments: { n } });
    allowed += 1;
  } catch (error) {
    refused += 1;
    code = (error as AuditError).code;
  }
  const pause = audit.hold();
  if (pause) await pause.catch(() => {});
  else if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
}
const { status } = audit.state;
const { last = 0 } = (await engine.log.bounds("audit")) ?? {};
await engine.log.trim("audit", last);
const { first = 0 } = (await engine.log.bounds("audit")) ?? {};
for (let n = 0; n < 100 && audit.state.status !== "ok"; n++) {
  await new Promise((resolve) => setTimeout(resolve, 100));
}
const after = audit.state.status;
audit.record({ event: "operator", detail: { action: "trim", first } });
audit.record({ event: "request", tool: "after", arguments: {} });
const { dropped } = audit.state;
await audit.close();
let records = 0;
let lastTool: string | undefined;
for await (const { tool } of readAudit({ log: engine.log })) {
  records += 1;
  lastTool = tool;
}
const heads = engine.kv("audit-heads", { durable: true });
const { ok, findings, gaps } = await verifyAudit({ log: engine.log, heads });
await engine.close();
const kinds = gaps.map(({ kind }) => kind);
const report = {
  allowed,
  refused,
  code,
  status,
  after,
  dropped,
  records,
  lastTool,
  ok,
  findings,
  kinds,
};
process.stdout.write(`report ${JSON.stringify(report)}\n`);
