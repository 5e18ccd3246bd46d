// The routes of the admin port, each against a running gateway (O8).

import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { serveRaw, tool } from "../raw-server.ts";
import { TOKEN } from "../service/stage.ts";
import { TestSocket } from "../stage.ts";
import { type AdminStage, openAdminStage } from "./stage.ts";

const VIEW = "ui://raw/view.html";
const ME = { tenant: "dev", user: "developer" };

let raw: Awaited<ReturnType<typeof serveRaw>>;
let stage: AdminStage;
beforeAll(async () => {
  raw = await serveRaw([tool("look", { annotations: { readOnlyHint: true } }), tool("slow")]);
  raw.answers["tools/call"] = async ({ name }) => {
    if (name === "slow") await new Promise((resolve) => setTimeout(resolve, 30_000).unref());
    return { content: [{ type: "text", text: name }] };
  };
  stage = await openAdminStage({
    engine: { driver: "sqlite", folder: "data" },
    servers: {
      raw: { url: raw.url.href, private: true, headers: { "x-key": "CANARY-header" } },
      gone: { url: "http://127.0.0.1:9/mcp", private: true },
    },
  });
});
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await raw?.[Symbol.asyncDispose]();
});

async function openView(): Promise<{ ticket: string; socket: TestSocket }> {
  const answer = await fetch(`${stage.service.url}/servers/raw/views`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ resource: VIEW }),
  });
  const { ticket } = (await answer.json()) as { ticket: string };
  return { ticket, socket: await connect(ticket) };
}

async function connect(ticket: string): Promise<TestSocket> {
  const url = `${stage.service.url.replace("http", "ws")}/servers/raw/mcp`;
  const socket = new WebSocket(url, ["vitrine.mcp.v1", `ticket.${ticket}`]);
  const opened = new TestSocket(socket);
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return opened;
}

test("the session names the operator and the gateway", async () => {
  const { status, body } = await stage.get("/session");
  expect([status, body]).toEqual([
    200,
    {
      name: "admin.token",
      role: "operator",
      gateway: expect.objectContaining({ node: expect.any(String), version: expect.any(String) }),
    },
  ]);
});

test("servers are checked before their first call, with version, protocol and tools", async () => {
  await expect
    .poll(async () => (await stage.get("/servers")).body.items, { timeout: 20_000 })
    .toMatchObject([
      { id: "raw", kind: "http", state: "up", protocol: "2026-07-28", tools: 2, pendingTools: 0 },
      { id: "gone", state: "down", error: "unreachable" },
    ]);
  const metrics = await (await fetch(`${stage.service.operatorUrl}/metrics`)).text();
  expect(metrics).toContain('vitrine_upstream_up{server="raw"} 1');
  expect(metrics).toContain('vitrine_upstream_up{server="gone"} 0');
  const { body } = await stage.get("/servers/raw");
  expect(body.toolList).toMatchObject([
    {
      name: "look",
      approval: "approved",
      visibility: ["model", "app"],
      annotations: { readOnlyHint: true },
    },
    { name: "slow", approval: "approved" },
  ]);
  expect((await stage.get("/servers/nowhere")).status).toBe(404);
});

test("a server is paused, resumed and checked", async () => {
  const paused = await stage.change("/servers/raw/pause", { reason: "Upgrade." });
  expect(paused).toMatchObject({ status: 200, body: { state: "paused" } });
  expect((await stage.post("tools/list", {}, { server: "raw" })).body.error.data.reason).toBe(
    "paused",
  );
  const [row] = (await stage.get("/servers")).body.items;
  expect(row).toMatchObject({ state: "paused", paused: { by: "admin.token", reason: "Upgrade." } });
  await stage.change("/servers/raw/resume");
  expect((await stage.change("/servers/raw/check")).body).toMatchObject({ id: "raw", state: "up" });
  expect((await stage.post("tools/list", {}, { server: "raw" })).status).toBe(200);
});

test("a changed tool is shown with before and after, and approved", async () => {
  const before = raw.tools;
  raw.tools = [tool("look", { title: "Look again" }), ...before.slice(1)];
  await stage.change("/servers/raw/check");
  const read = async () => (await stage.get("/servers/raw")).body;
  await expect.poll(read).toMatchObject({ pendingTools: 1 });
  const body = await read();
  const [changed] = body.toolList;
  expect(changed).toMatchObject({ name: "look", approval: "changed", title: "Look again" });
  expect([changed.before, changed.after]).toEqual([
    expect.not.stringContaining("again"),
    expect.stringContaining("again"),
  ]);
  const { name, hash } = changed;
  expect((await stage.change("/servers/raw/tools/approve", { tools: [] })).status).toBe(400);
  const old = { tools: [{ name, hash: "other" }] };
  expect((await stage.change("/servers/raw/tools/approve", old)).status).toBe(409);
  const approved = await stage.change("/servers/raw/tools/approve", { tools: [{ name, hash }] });
  expect(approved.body).toEqual({ approved: ["look"], outdated: [] });
  expect((await stage.get("/overview")).body.pendingTools).toBe(0);
  raw.tools = before;
  await stage.change("/servers/raw/check");
});

test("a view is listed and ended: its socket closes and its ticket is refused", async () => {
  const { ticket, socket } = await openView();
  await socket.request("tools/list");
  const { body } = await stage.get("/views?server=raw&tenant=dev&user=developer");
  expect(body).toMatchObject({
    items: [{ ...ME, server: "raw", resource: VIEW, calls: 1, node: expect.any(String) }],
    silent: [],
  });
  expect((await stage.get("/views?user=nobody")).body.items).toEqual([]);
  const [{ id }] = body.items;
  expect((await stage.change(`/views/${id}/end`)).body).toEqual({ ended: id });
  await expect.poll(() => socket.closed).toBe(4401);
  const again = await connect(ticket);
  await expect.poll(() => again.closed).toBe(4401);
  expect((await stage.change(`/views/${id}/end`)).status).toBe(404);
  // A host gets a new ticket by itself, which would undo the operator's decision at once.
  const reopened = await fetch(`${stage.service.url}/servers/raw/views`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ resource: VIEW }),
  });
  expect(reopened.status).toBe(503);
});

test("a call is listed and cancelled", async () => {
  const running = stage.post("tools/call", { name: "slow", arguments: {} }, { server: "raw" });
  await expect.poll(async () => (await stage.get("/calls")).body.items.length).toBe(1);
  const [call] = (await stage.get("/calls")).body.items;
  expect(call).toMatchObject({ ...ME, server: "raw", tool: "slow", party: "model" });
  expect((await stage.get("/overview")).body.calls).toBe(1);
  expect((await stage.change(`/calls/${call.id}/cancel`)).status).toBe(200);
  expect((await running).body.error.data.reason).toBe("aborted");
  expect((await stage.change(`/calls/${call.id}/cancel`)).status).toBe(404);
});

test("a grant is listed and revoked", async () => {
  const grant = { tool: "slow", scope: "always" };
  await fetch(`${stage.service.url}/servers/raw/grants`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify(grant),
  });
  const { body } = await stage.get("/grants?user=developer");
  expect(body.items).toMatchObject([
    { ...ME, server: "raw", ...grant, givenAt: expect.any(Number) },
  ]);
  expect((await stage.change("/grants/revoke", { ...ME, server: "raw" })).status).toBe(400);
  await stage.change("/grants/revoke", { ...ME, server: "raw", tool: "slow" });
  expect((await stage.get("/grants")).body.items).toEqual([]);
});

test("the audit log is searched, and every change is a record with the operator's name", async () => {
  const operatorRecords = async () => (await stage.get("/audit?event=operator")).body.items;
  const pause = { action: "pause", by: "admin.token", reason: "Upgrade." };
  const actions = ["resume", "approve-tools", "end-view", "cancel-call", "revoke-grant"];
  for (const detail of [pause, ...actions.map((action) => ({ action, by: "admin.token" }))]) {
    const record = expect.objectContaining({
      server: "raw",
      detail: expect.objectContaining(detail),
    });
    await expect.poll(operatorRecords).toContainEqual(record);
  }
  const denied = await stage.get("/audit?verdict=deny&server=raw&since=2020-01-01");
  expect(denied.body.items.length).toBeGreaterThan(0);
  expect((await stage.get("/audit?verdict=maybe")).status).toBe(400);
  expect((await stage.get("/audit?cursor=x")).status).toBe(400);
  expect((await stage.get("/overview")).body.deniedLastHour).toBeGreaterThan(0);
});

test("no response contains a secret of the configuration", async () => {
  const paths = [
    "/overview",
    "/servers",
    "/servers/raw",
    "/views",
    "/users",
    "/grants",
    "/approvals",
  ];
  for (const path of paths) {
    const { status, body } = await stage.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(JSON.stringify(body)).not.toMatch(/CANARY|an-admin-token/);
  }
});

test("a user is off-boarded in one step, which one record lists, and restored", async () => {
  await expect
    .poll(async () => (await stage.get("/users?query=DEVELOP")).body.items)
    .toMatchObject([{ ...ME, isBlocked: false, lastSeen: expect.any(Number) }]);
  const off = await stage.change("/users/revoke", { ...ME, block: true, reason: "Left." });
  expect(off.body).toMatchObject({ ...ME, isBlocked: true, failed: [] });
  expect((await stage.post("tools/list", {}, { server: "raw" })).status).toBe(403);
  expect((await stage.get("/users")).body.items).toMatchObject([{ ...ME, isBlocked: true }]);
  await stage.change("/users/restore", ME);
  expect((await stage.get("/users")).body.items).toMatchObject([{ ...ME, isBlocked: false }]);
  expect((await stage.change("/users/revoke", { ...ME, block: "yes" })).status).toBe(400);
});
