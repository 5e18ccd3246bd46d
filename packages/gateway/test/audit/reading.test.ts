import { createMemoryEngine } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import {
  type AuditEntry,
  createAudit,
  exportAudit,
  type ReadRecord,
  tailAudit,
} from "../../src/audit/index.ts";

const request = (n: number): AuditEntry => ({
  event: "request",
  tool: `tool-${n}`,
  decision: { verdict: "allow" },
});

test("exports the log as lines of JSON with filters", async () => {
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1" });
  audit.record(request(1));
  audit.record({
    event: "request",
    tool: "evil\n\u2028{}",
    decision: { verdict: "deny", code: "unknown-tool" },
  });
  await audit.close();
  let text = "";
  for await (const line of exportAudit({ log: engine.log })) text += line;
  const lines = text.split("\n");
  expect(lines).toHaveLength(3);
  expect(text).toMatch(/^[\x20-\x7e\n]+$/);
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({
    node: "n1",
    epoch: 1,
    sequence: 2,
    tool: "evil\n\u2028{}",
  });
  const denied: string[] = [];
  const where = ({ decision }: ReadRecord): boolean => decision?.verdict === "deny";
  for await (const line of exportAudit({ log: engine.log, where })) denied.push(line);
  expect(denied).toHaveLength(1);
});

test("tail shows the last records, and new ones until it is stopped", async () => {
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1" });
  for (let n = 0; n < 30; n++) {
    audit.record(request(n));
    if (n % 3 === 0) await audit.flushed();
  }
  await audit.flushed();
  const shown: (string | undefined)[] = [];
  for await (const { tool } of tailAudit({ log: engine.log, last: 3 })) shown.push(tool);
  expect(shown).toEqual(["tool-27", "tool-28", "tool-29"]);
  const all: unknown[] = [];
  for await (const record of tailAudit({ log: engine.log, last: 500 })) all.push(record);
  expect(all).toHaveLength(30);

  const stop = new AbortController();
  const followed: (string | undefined)[] = [];
  const following = (async () => {
    const options = { log: engine.log, last: 1, follow: stop.signal, interval: 5 };
    for await (const { tool } of tailAudit(options)) {
      followed.push(tool);
      if (tool === "tool-34") stop.abort();
    }
  })();
  for (let n = 30; n < 35; n++) {
    audit.record(request(n));
    await audit.flushed();
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  await following;
  expect(followed).toEqual(["tool-29", "tool-30", "tool-31", "tool-32", "tool-33", "tool-34"]);
  await audit.close();
});
