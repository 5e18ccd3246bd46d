// Records endlessly in an engine in a folder and prints how much is stored, until it is killed.

import { openSqliteEngine } from "@vitrine/gateway/engine";
import { createAudit } from "../../../src/audit/index.ts";

const [folder = "", life = "0"] = process.argv.slice(2);
const engine = await openSqliteEngine({ folder });
const audit = await createAudit({ engine, node: "n1", level: "full" });
for (let n = 1; ; n++) {
  audit.record({
    event: "request",
    tool: `${life}.${n}`,
    arguments: { password: "canary-password", text: "x".repeat(n % 500) },
  });
  if (n % 7 === 0) {
    await audit.flushed();
    process.stdout.write(`stored ${life}.${n}\n`);
  } else if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
}
