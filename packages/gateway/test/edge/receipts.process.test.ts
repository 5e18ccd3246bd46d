// What a host's page reports about its views (F-1.8): whose report it is comes from the ticket alone.

import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { expect, onTestFinished, test } from "vitest";
import type { AuditEntry } from "../../src/audit/index.ts";
import { ReceiptRate } from "../../src/edge/receipt-rate.ts";
import { receiptEntry } from "../../src/policy/receipt.ts";
import { type GatewayStage, openStage, TOKEN } from "../stage.ts";

async function open(): Promise<{ stage: GatewayStage; ticket: string; entries: AuditEntry[] }> {
  const entries: AuditEntry[] = [];
  const stage = await openStage({
    onReceipt: (from, receipt) => void entries.push(receiptEntry(from, receipt)),
  });
  onTestFinished(() => stage[Symbol.asyncDispose]());
  const { ticket } = await stage.open(STATION_VIEW);
  return { stage, ticket, entries };
}

const post = (
  { url }: GatewayStage,
  body: unknown,
  headers: Record<string, string>,
  server = "station",
): Promise<Response> =>
  fetch(`${url}/servers/${server}/receipts`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

test("records receipts as the view of the ticket, whatever the page claims to be", async () => {
  const { stage, ticket, entries } = await open();
  const [, claims = ""] = ticket.split(".");
  const { jti } = JSON.parse(Buffer.from(claims, "base64url").toString());
  const forged = {
    kind: "link",
    outcome: "done",
    host: "shop.example",
    actor: { tenant: "globex", user: "eve", view: "another" },
    server: "other",
    event: "request",
    decision: { verdict: "allow" },
    detail: { reportedBy: "gateway" },
    node: "n9",
  };
  const answer = await post(stage, { receipts: [forged] }, { "vitrine-view": ticket });
  expect(answer.status).toBe(204);
  expect(entries).toEqual([
    expect.objectContaining({
      event: "receipt",
      actor: { tenant: "dev", user: "developer", view: jti, address: "127.0.0.1" },
      server: "station",
      detail: { kind: "link", reportedBy: "page", host: "shop.example" },
    }),
  ]);
  expect(entries[0]).not.toHaveProperty("decision");
});

test("takes no receipts without a view's ticket, with a changed one, or for another server", async () => {
  const { stage, ticket, entries } = await open();
  const receipts = [{ kind: "message", outcome: "done" }];
  const [head, claims = "", signature] = ticket.split(".");
  const own = JSON.parse(Buffer.from(claims, "base64url").toString());
  const changed = Buffer.from(JSON.stringify({ ...own, user: "eve" })).toString("base64url");
  const forged = [head, changed, signature].join(".");
  const bearer = { authorization: `Bearer ${TOKEN}` };
  expect((await post(stage, { receipts }, bearer)).status).toBe(401);
  expect((await post(stage, { receipts }, { ...bearer, "vitrine-view": forged })).status).toBe(401);
  expect((await post(stage, { receipts }, { "vitrine-view": ticket }, "other")).status).toBe(403);
  expect(entries).toEqual([]);
});

test("rejects a batch in which anything isn't a receipt, and takes none of it", async () => {
  const { stage, ticket, entries } = await open();
  const good = { kind: "message", outcome: "done" };
  const bad = [
    "nonsense",
    { receipts: [] },
    { receipts: Array.from({ length: 51 }, () => good) },
    { receipts: [good, null] },
    { receipts: [good, { kind: "payment", outcome: "done" }] },
    { receipts: [{ ...good, tool: "x".repeat(201) }] },
    { receipts: [{ ...good, names: Array.from({ length: 11 }, () => "a") }] },
    { receipts: [{ ...good, at: 1e300 }] },
    { receipts: [{ ...good, trace: "not-a-trace" }] },
    { receipts: [{ ...good, content: "x".repeat(300_000) }] },
  ];
  for (const body of bad) {
    const { status } = await post(stage, body, { "vitrine-view": ticket });
    expect([400, 413], JSON.stringify(body).slice(0, 80)).toContain(status);
  }
  expect(entries).toEqual([]);
});

test("limits how many receipts a view may send", async () => {
  const { stage, ticket, entries } = await open();
  const receipts = Array.from({ length: 50 }, () => ({ kind: "message", outcome: "done" }));
  const answers: Response[] = [];
  for (let n = 0; n < 6; n++) {
    answers.push(await post(stage, { receipts }, { "vitrine-view": ticket }));
  }
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 429, 429]);
  expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(entries).toHaveLength(200);
  let now = 0;
  const rate = new ReceiptRate(() => now);
  expect(rate.take("a", 240)).toBe(0);
  expect(rate.take("a", 4)).toBe(1);
  expect(rate.take("b", 4)).toBe(0);
  now = 1_000;
  expect(rate.take("a", 4)).toBe(0);
});
