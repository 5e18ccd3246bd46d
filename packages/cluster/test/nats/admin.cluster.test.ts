// One admin port for all gateways on NATS: what an operator sees and stops at one gateway holds at the other.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createKeyFiles } from "../../../gateway/src/service/key-files.ts";
import { type AdminStage, callAdmin, openAdminStage } from "../../../gateway/test/admin/stage.ts";
import { serveRaw, tool } from "../../../gateway/test/raw-server.ts";
import { TOKEN } from "../../../gateway/test/service/stage.ts";
import { TestSocket } from "../../../gateway/test/stage.ts";
import { freshPrefix } from "./stage.ts";

const ME = { tenant: "dev", user: "developer" };
const VIEW = "ui://raw/view.html";

describe("two gateways on NATS", { timeout: 60_000 }, () => {
  let nats: NatsServers;
  let folder: string;
  let raw: Awaited<ReturnType<typeof serveRaw>>;
  let one: AdminStage;
  let two: AdminStage;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-admin-keys-"));
    await createKeyFiles(folder);
    raw = await serveRaw([tool("look", { annotations: { readOnlyHint: true } }), tool("slow")]);
    raw.answers["tools/call"] = async ({ name }) => {
      if (name === "slow") await new Promise((resolve) => setTimeout(resolve, 30_000).unref());
      return { content: [{ type: "text", text: name }] };
    };
    nats = await startNats();
    const prefix = freshPrefix();
    const open = (node: string) =>
      openAdminStage({
        keys: { folder },
        engine: { driver: "nats", servers: nats.urls, node, prefix },
        servers: { raw: { url: raw.url.href, private: true, toolChanges: "hold" } },
      });
    one = await open("one");
    two = await open("two");
  }, 60_000);
  afterAll(async () => {
    for (const part of [one, two, raw]) await part?.[Symbol.asyncDispose]();
    await nats?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const call = (stage: AdminStage, name = "look") =>
    stage.post("tools/call", { name, arguments: {} }, { server: "raw" });

  async function openView(stage: AdminStage): Promise<TestSocket> {
    const answer = await fetch(`${stage.service.url}/servers/raw/views`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ resource: VIEW }),
    });
    const { ticket } = (await answer.json()) as { ticket: string };
    const url = `${stage.service.url.replace("http", "ws")}/servers/raw/mcp`;
    const socket = new WebSocket(url, ["vitrine.mcp.v1", `ticket.${ticket}`]);
    const opened = new TestSocket(socket);
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return opened;
  }

  test("each shows both, and a pause at one holds at the other", async () => {
    await expect
      .poll(async () => (await one.get("/overview")).body.gateways.length, { timeout: 20_000 })
      .toBe(2);
    const { gateways, silent } = (await two.get("/overview")).body;
    expect(gateways.map(({ node }: { node: string }) => node).sort()).toEqual(["one", "two"]);
    expect(silent).toEqual([]);
    await one.change("/servers/raw/pause", { reason: "Upgrade." });
    await expect.poll(async () => (await call(two)).body.error?.data.reason).toBe("paused");
    await two.change("/servers/raw/resume");
    await expect.poll(async () => (await call(one)).status).toBe(200);
  });

  test("a tool that is approved at one is callable at the other", async () => {
    raw.tools = [...raw.tools, tool("more")];
    await one.change("/servers/raw/check");
    await expect
      .poll(async () => (await two.get("/servers/raw")).body.pendingTools, { timeout: 10_000 })
      .toBe(1);
    await expect
      .poll(async () => (await call(two, "more")).body.error?.data.reason, { timeout: 10_000 })
      .toBe("forbidden");
    const { toolList } = (await two.get("/servers/raw")).body;
    const wanted = toolList.find(({ name }: { name: string }) => name === "more");
    await one.change("/servers/raw/tools/approve", { tools: [wanted] });
    await expect.poll(async () => (await call(two, "more")).status).toBe(200);
  });

  test("a view and a call at one gateway are ended from the other", async () => {
    const view = await openView(two);
    const { items } = (await one.get("/views")).body;
    expect(items).toMatchObject([{ ...ME, server: "raw", resource: VIEW, node: "two" }]);
    const running = call(two, "slow");
    await expect.poll(async () => (await one.get("/calls")).body.items.length).toBe(1);
    const [slow] = (await one.get("/calls")).body.items;
    expect((await one.change(`/calls/${slow.id}/cancel`)).status).toBe(200);
    expect((await running).body.error.data.reason).toBe("aborted");
    expect((await one.change(`/views/${items[0].id}/end`)).status).toBe(200);
    await expect.poll(() => view.closed).toBe(4401);
  });

  test("a session of one is accepted by the other, until it is ended", async () => {
    const origin = `${one.service.adminUrl}`;
    const token = "an-admin-token-for-tests-0123456789abcdef";
    const begun = await one.change("/session", { token }, { token: null, headers: { origin } });
    const cookie = `${begun.headers.get("set-cookie")}`.split(";")[0] as string;
    const read = async () => (await two.get("/session", { token: null, cookie })).status;
    expect(await read()).toBe(200);
    const own = { token: null, cookie, headers: { origin } };
    await callAdmin(`${origin}/api/session`, "DELETE", own);
    expect(await read()).toBe(401);
  });

  test("an off-boarded user is out at both within a second", async () => {
    const raised = Date.now();
    const off = await one.change("/users/revoke", { ...ME, block: true, reason: "Left." });
    expect(off.body).toMatchObject({ isBlocked: true, failed: [] });
    await expect
      .poll(async () => (await call(two)).status, { interval: 10, timeout: 1000 })
      .toBe(403);
    expect(Date.now() - raised).toBeLessThan(5000);
    expect((await call(one)).status).toBe(403);
    await two.change("/users/restore", ME);
    await expect.poll(async () => (await call(one)).status).toBe(200);
  });

  test("a gateway that was stopped isn't listed any more", async () => {
    await two[Symbol.asyncDispose]();
    const { gateways } = (await one.get("/overview")).body;
    expect(gateways.map(({ node }: { node: string }) => node)).toEqual(["one"]);
  });
});
