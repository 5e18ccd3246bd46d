import { createMemoryEngine } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { createAudit } from "../../src/audit/index.ts";
import { verifyCommand } from "../../src/service/audit-command.ts";
import { runCommand } from "../../src/service/command-line.ts";
import { openServiceStage } from "../service/stage.ts";

const ESC =
  "\u001b]52;c;ZXZpbA==\u0007\u001b[2K\r\n13:00:00 info  all is well\u009b\u007f\u202e\u2028";
const UNSAFE = /(?!\n)[\p{Cc}\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

test("S25: a name that a user chose is in the gateway's log as plain JSON", async () => {
  await using stage = await openServiceStage({ telemetry: { log: "info" } });
  const params = { name: ESC, arguments: {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  await stage.post("tools/call", {}, { headers: { "mcp-protocol-version": "2025-11-25" }, body });
  const found = stage.log.find(({ tool }) => tool !== undefined);
  expect(ESC.startsWith(found?.tool)).toBe(true);
  expect(found?.tool.length).toBeGreaterThan(40);
  expect(stage.logText()).not.toMatch(UNSAFE);
});

test("S25: a forged step of the audit log can't write the verdict", async () => {
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1" });
  await audit.close();
  const verdict = `x"\nThe log is complete and unmodified.\n${ESC}`;
  const time = new Date().toISOString();
  const gap = { sequence: 1, time, event: "gap", detail: { dropped: 0, from: verdict, to: ESC } };
  for (const [id, node] of ["n2", verdict].entries()) {
    const head = { audit: 1, node, epoch: 1, step: 1, first: 1, count: 1, time, prev: "" };
    const lines = [JSON.stringify(head), `00000000 ${JSON.stringify(gap)}`, "end nothing", ""];
    await engine.log.append("audit", [Buffer.from(lines.join("\n"))], { id: `forged-${id}` });
  }
  let said = "";
  const source = { log: engine.log, kv: engine.kv.bind(engine), close: async () => {} };
  const print = (text: string): void => {
    said += text;
  };
  expect(await verifyCommand(source, print)).toBe(false);
  expect(said).toContain("0 records were dropped from x");
  expect(said.split("\n")).not.toContain("The log is complete and unmodified.");
  expect(said).not.toMatch(UNSAFE);
});

test("S25: a command's words hold no escapes of what it was given", async () => {
  let said = "";
  const print = (text: string): void => {
    said += text;
  };
  const { signal } = new AbortController();
  const context = { environment: {}, out: print, err: print, signal, onStart: () => {} };
  expect(await runCommand(["check", "--config", `/nowhere/${ESC}.yaml`], context)).toBe(2);
  expect(said).toContain("/nowhere/");
  expect(said).not.toMatch(UNSAFE);
});
