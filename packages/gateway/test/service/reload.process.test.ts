import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Json } from "../stage.ts";
import { openServiceStage, type ServiceStage, TOKEN } from "./stage.ts";

let stage: ServiceStage;
afterEach(() => stage[Symbol.asyncDispose]());

const forecast = { name: "forecast", arguments: { city: "Graz" } };
const told = (msg: string): Json[] => stage.log.filter((line) => line.msg === msg);

/** A program that reports how often it was started: a server whose process is replaced continues counting. */
function program(text: string): string[] {
  const script = `
    const { createInterface } = require("node:readline");
    const started = process.pid;
    createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const caching = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
      const result =
        method === "server/discover"
          ? { ...caching, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
          : method === "tools/list"
            ? { ...caching, tools: [{ name: "pid", inputSchema: { type: "object" } }] }
            : { resultType: "complete", content: [{ type: "text", text: "${text} " + started }] };
      console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });`;
  return [process.execPath, "-e", script];
}

async function answerOf(server: string): Promise<string> {
  const { body } = await stage.post("tools/call", { name: "pid" }, { server });
  return body.result?.content[0].text ?? JSON.stringify(body);
}

describe("a changed file", () => {
  test("applies to connected Views, and disconnects those of removed servers", async () => {
    stage = await openServiceStage();
    const { station } = stage.config.servers;
    const answer = await fetch(`${stage.service.url}/servers/station/views`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ resource: STATION_VIEW }),
    });
    const { ticket } = (await answer.json()) as { ticket: string };
    const address = `${stage.service.url.replace("http", "ws")}/servers/station/mcp`;
    const socket = new WebSocket(address, ["vitrine.mcp.v1", `ticket.${ticket}`]);
    await once(socket, "open");
    const call = async (id: number): Promise<{ error?: { data: object } }> => {
      const params = { name: "forecast", arguments: { city: "Graz" } };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
      for (;;) {
        const [data] = await once(socket, "message");
        const message = JSON.parse(`${data}`);
        if (message.id === id) return message;
      }
    };
    expect((await call(1)).error?.data).toMatchObject({ reason: "consent-required" });
    await stage.write({ ...stage.config, servers: { station: { ...station, consent: "host" } } });
    await stage.service.reload();
    expect(await call(2)).toMatchObject({ result: { structuredContent: { city: "Graz" } } });
    const closed = once(socket, "close");
    await stage.write({ ...stage.config, servers: { other: { command: ["true"] } } });
    await stage.service.reload();
    await closed;
    await expect.poll(() => stage.service.gateway.views).toBe(0);
  });

  test("adds, replaces and removes servers, and unchanged ones keep their processes", async () => {
    const servers = {
      same: { command: program("same") },
      changing: { command: program("before") },
      leaving: { command: program("leaving") },
    };
    stage = await openServiceStage({ servers });
    const [same, before] = [await answerOf("same"), await answerOf("changing")];
    expect(await answerOf("leaving")).toContain("leaving");
    await stage.write({
      ...stage.config,
      servers: {
        same: servers.same,
        changing: { command: program("after") },
        fresh: { command: program("fresh") },
      },
    });
    await expect.poll(() => told("configuration reloaded"), { timeout: 5000 }).toHaveLength(1);
    expect(told("configuration reloaded")[0]).toMatchObject({
      added: ["fresh"],
      removed: ["leaving"],
      replaced: ["changing"],
      adjusted: [],
    });
    expect(await answerOf("same")).toBe(same);
    expect(before).toContain("before");
    expect(await answerOf("changing")).toContain("after");
    expect(await answerOf("fresh")).toContain("fresh");
    expect((await stage.post("tools/list", {}, { server: "leaving" })).status).toBe(404);
    const pid = Number(before.split(" ")[1]);
    await expect.poll(() => isAlive(pid), { timeout: 5000 }).toBe(false);
  });

  test("changes nothing if it is invalid, and logs why", async () => {
    stage = await openServiceStage();
    await stage.write("servers:\n  station: { url: https://x.example, consnet: ask }\n");
    await expect.poll(() => told("configuration not reloaded"), { timeout: 5000 }).toHaveLength(1);
    expect(told("configuration not reloaded")[0].reason).toContain('Did you mean "consent"?');
    expect((await stage.post("tools/call", forecast)).status).toBe(200);
    // An address that is refused only when the server is made: nothing of the file counts then.
    await stage.write({
      ...stage.config,
      servers: {
        ...stage.config.servers,
        fresh: { command: ["true"] },
        inner: { url: "https://10.0.0.1/mcp" },
      },
    });
    await expect.poll(() => told("configuration not reloaded"), { timeout: 5000 }).toHaveLength(2);
    expect(told("configuration not reloaded")[1].reason).toContain("servers.inner");
    expect((await stage.post("tools/list", {}, { server: "fresh" })).status).toBe(404);
    expect((await stage.post("tools/call", forecast)).status).toBe(200);
  });

  test("changes nothing if a variable is missing, and names it", async () => {
    stage = await openServiceStage();
    const { station } = stage.config.servers;
    const servers = { station: { ...station, headers: { "x-key": `\${NEW_KEY}` } } };
    await stage.write({ ...stage.config, servers });
    await expect.poll(() => told("configuration not reloaded"), { timeout: 5000 }).toHaveLength(1);
    expect(told("configuration not reloaded")[0].reason).toContain(
      "The variable NEW_KEY isn't set",
    );
  });

  test("reports settings that need a restart", async () => {
    stage = await openServiceStage();
    await stage.write({ ...stage.config, audit: { level: "meta" } });
    await expect
      .poll(() => told("these settings take effect after a restart"), { timeout: 5000 })
      .toMatchObject([{ settings: ["audit"] }]);
  });

  test("reads a secret file again when it changes, without a restart (O13)", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-secrets-"));
    const [header, operator] = [join(folder, "header"), join(folder, "operator")];
    const store = (file: string, text: string) => writeFile(file, text, { mode: 0o600 });
    await Promise.all([store(header, "first-header"), store(operator, "first-operator-token")]);
    const seen: unknown[] = [];
    const upstream = createServer((request, response) => {
      seen.push(request.headers["x-key"]);
      response.writeHead(500).end();
    }).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const { port } = upstream.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp`;
    stage = await openServiceStage({
      servers: { own: { url, private: true, headers: { "x-key": `\${file:${header}}` } } },
      operator: { port: 0, token: `\${file:${operator}}` },
    });
    const metrics = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${stage.service.operatorUrl}/metrics`, { headers })).status;
    };
    await stage.post("tools/list", {}, { server: "own" });
    expect(seen.at(-1)).toBe("first-header");
    expect(await metrics("first-operator-token")).toBe(200);
    await Promise.all([store(header, "second-header"), store(operator, "second-operator-token")]);
    await expect.poll(() => metrics("second-operator-token"), { timeout: 5000 }).toBe(200);
    expect(await metrics("first-operator-token")).toBe(401);
    await stage.post("tools/list", {}, { server: "own" });
    expect(seen.at(-1)).toBe("second-header");
    expect(told("these settings take effect after a restart")).toEqual([]);
    upstream.close();
    await rm(folder, { recursive: true });
  });

  test("adjusts a server's settings without a new connection", async () => {
    stage = await openServiceStage({ servers: { own: { command: program("own") } } });
    const before = await answerOf("own");
    await stage.write({
      ...stage.config,
      servers: { own: { command: program("own"), deadline: 5000, consent: "always" } },
    });
    await stage.service.reload();
    expect(told("configuration reloaded")[0]).toMatchObject({ adjusted: ["own"], replaced: [] });
    expect(await answerOf("own")).toBe(before);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
