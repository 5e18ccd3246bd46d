// What a view does in the page never passes the gateway, but it is in the audit log: the page reports it
// (F-1.8).

import { openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { expect, onTestFinished, test, vi } from "vitest";
import { createAudit, type ReadRecord } from "../../src/audit/index.ts";
import { queryAudit } from "../../src/audit/query.ts";
import { createMemoryEngine } from "../../src/engine/index.ts";
import { auditRecorder } from "../../src/policy/audit-recorder.ts";
import { receiptEntry } from "../../src/policy/receipt.ts";
import { serveRaw, tool } from "../raw-server.ts";
import { openStage, TOKEN, upstreamTo } from "../stage.ts";
import { boardView } from "./board-view.ts";
import type {} from "./pages/chain.ts";

const VIEW = "ui://board/view.html";

test("a view's message, link and the user's answers are in the log with the view's id", {
  timeout: 60_000,
}, async () => {
  const html = await boardView();
  const server = await serveRaw([
    tool("show", { _meta: { ui: { resourceUri: VIEW } } }),
    tool("add"),
  ]);
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.answers["resources/read"] = ({ uri }) => ({
    contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: html }],
  });
  server.answers["tools/call"] = () => ({ content: [{ type: "text", text: "done" }] });
  const stage = await openHostStage({ registration: "credential" });
  onTestFinished(() => stage.close());
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1", level: "full" });
  const gateway = await openStage({
    engine,
    origins: [stage.hostOrigin],
    sandbox: { entrance: stage.entrance, issue: stage.sandbox.issueCredential },
    servers: { board: { upstream: upstreamTo(server.url) } },
    recorder: auditRecorder(audit),
    onReceipt: (from, receipt) => audit.record(receiptEntry(from, receipt)),
  });
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  stage.connects.push(gateway.url, gateway.url.replace("http", "ws"));
  const page = await openHostPage(stage, { program: new URL("./pages/chain.ts", import.meta.url) });
  onTestFinished(() => page.close());
  await show(page, { entrance: stage.entrance, gateway: gateway.url, token: TOKEN });

  const view = page.frames().find((frame) => frame.url().includes("/v/"));
  await view?.waitForFunction(() => document.body.dataset.result);
  await view?.evaluate(() => {
    const button = document.createElement("button");
    button.textContent = "Go";
    button.addEventListener("click", async () => {
      const content = [{ type: "text", text: "Buy it" }];
      await window.app.request({ method: "ui/message", params: { role: "user", content } });
      await window.app.request({ method: "tools/call", params: { name: "add", arguments: {} } });
      const url = "https://shop.example/a?b=c";
      await window.app.request({ method: "ui/open-link", params: { url } });
    });
    document.body.append(button);
  });
  await view?.locator("button").click();

  const find = async (filter: object): Promise<readonly ReadRecord[]> => {
    await audit.flushed();
    return (await queryAudit({ log: engine.log, ...filter })).items;
  };
  await vi.waitFor(async () => {
    const found = await find({ event: "receipt" });
    expect(found.length, JSON.stringify(found)).toBe(5);
  }, 20_000);
  const [call] = await find({ event: "request", tool: "add" });
  const receipts = await find({ event: "receipt", view: call?.actor?.view, server: "board" });
  const by = { detail: expect.objectContaining({ reportedBy: "page" }) };
  expect(receipts).toHaveLength(5);
  expect(receipts.toReversed()).toMatchObject([
    { ...by, outcome: { kind: "allowed" } },
    {
      detail: { kind: "message", reportedBy: "page" },
      arguments: { content: [{ type: "text", text: "Buy it" }] },
    },
    { detail: { kind: "consent", about: "tool" }, tool: "add", outcome: { kind: "allowed" } },
    { ...by, outcome: { kind: "allowed" } },
    {
      detail: { kind: "link", host: "shop.example", reportedBy: "page" },
      outcome: { kind: "done" },
      arguments: { url: "https://shop.example/a?b=c" },
    },
  ]);
  // The answer belongs to the call that it allowed.
  expect(call?.trace).toMatch(/^[0-9a-f]{32}$/);
  expect(receipts[2]?.trace).toBe(call?.trace);
  await audit.close();
});

async function show(page: Page, options: { entrance: string; gateway: string; token: string }) {
  await page.evaluate((given) => window.chain.open(given), options);
  const showing = { key: "board", server: "board", resource: VIEW };
  await page.evaluate((given) => window.chain.show(given), showing);
  await page.waitForFunction(() => window.chain.host.views.get("board")?.stage === "shown");
}
