import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { afterEach, describe, expect, test } from "vitest";
import { readAudit } from "../../src/audit/index.ts";
import { openSqliteReader } from "../../src/engine/index.ts";
import type { Json } from "../stage.ts";
import { collect, openServiceStage, type ServiceStage, TOKEN } from "./stage.ts";

let stage: ServiceStage | undefined;
afterEach(async () => {
  await stage?.[Symbol.asyncDispose]();
  stage = undefined;
  // An audit log that cannot be stored is waited for.
}, 30_000);

const forecast = { name: "forecast", arguments: { city: "Graz" } };
const file = { engine: { driver: "sqlite", folder: "data" } };

async function records(folder: string): Promise<Json[]> {
  const { log } = openSqliteReader({ folder: join(folder, "data") });
  return collect(readAudit({ log }));
}

async function operator(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${stage?.service.operatorUrl}${path}`, { headers });
  return { status: answer.status, text: await answer.text() };
}

describe("a gateway of a configuration", () => {
  test("records each request with its response and each refusal with its reason", async () => {
    stage = await openServiceStage(file);
    expect((await stage.post("tools/call", forecast)).body.result.structuredContent.celsius).toBe(
      12,
    );
    expect((await stage.post("tools/call", { name: "nothing" })).body.error.code).toBe(-32602);
    await stage.service.close();
    const found = await records(stage.folder);
    expect(found.map(({ event }) => event)).toEqual([
      "operator",
      "request",
      "answer",
      "request",
      "operator",
    ]);
    const actor = { tenant: "dev", user: "developer" };
    expect(found[1]).toMatchObject({
      ...{ actor, server: "station", method: "tools/call", tool: "forecast" },
      ...{ decision: { verdict: "allow" }, argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(found[2]).toMatchObject({ outcome: { kind: "result" }, tool: "forecast" });
    expect(found[3]).toMatchObject({
      decision: { verdict: "deny", link: "visibility", code: "unknown-tool" },
      tool: "nothing",
    });
  });

  test("keeps its keys private, so that a ticket survives a restart", async () => {
    stage = await openServiceStage(file);
    const open = async (current: ServiceStage) => {
      const answer = await fetch(`${current.service.url}/servers/station/views`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify({ resource: STATION_VIEW }),
      });
      return ((await answer.json()) as { ticket: string }).ticket;
    };
    const list = (current: ServiceStage, ticket: string) =>
      current.post("tools/list", {}, { token: "", headers: { "vitrine-view": ticket } });
    const ticket = await open(stage);
    expect((await list(stage, ticket)).status).toBe(200);
    const { mode } = await stat(join(stage.folder, "data", "keys", "ticket.key"));
    expect(mode & 0o777).toBe(0o600);
    await stage.service.close();
    const again = await openServiceStage(file, { folder: stage.folder });
    expect((await list(again, ticket)).status).toBe(200);
    await again[Symbol.asyncDispose]();
    const other = await openServiceStage(file);
    expect((await list(other, ticket)).status).toBe(401);
    await other[Symbol.asyncDispose]();
  });

  test("rejects calls that it can't record, and reports that it isn't ready", async () => {
    stage = await openServiceStage({
      engine: { driver: "memory", maxLogBytes: 65_536 },
      limits: { userPerMinute: 100_000 },
    });
    expect((await operator("/readyz")).text).toBe("ready\n");
    const long = { name: "forecast", arguments: { city: "x".repeat(100) } };
    let refused: Json;
    for (let round = 0; round < 60 && !refused; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => stage?.post("tools/call", long)),
      );
      refused = answers.find((answer) => answer?.status === 503)?.body;
    }
    expect(refused.error.data.reason).toBe("audit-full");
    const before = stage.station.station.calls.length;
    expect((await stage.post("tools/call", long)).body.error.data.reason).toBe("audit-full");
    expect(stage.station.station.calls.length).toBe(before);
    expect(await operator("/readyz")).toMatchObject({ status: 503, text: "audit failing\n" });
    expect((await operator("/healthz")).status).toBe(200);
    expect((await operator("/metrics")).text).toContain("vitrine_audit_failing 1");
  });

  test("waits for a call before it closes, and isn't ready during that time", {
    timeout: 20_000,
  }, async () => {
    stage = await openServiceStage({ ...file, drain: { delay: 1500, time: 5000 } });
    const { service } = stage;
    const slow = stage.post("tools/call", { name: "slow", arguments: { id: "short" } });
    await expect.poll(() => stage?.station.station.calls.length).toBe(1);
    const closing = service.close();
    expect(await operator("/readyz")).toMatchObject({ status: 503, text: "draining\n" });
    const ready = await fetch(`${service.url}/readyz`);
    expect(ready.status).toBe(503);
    expect((await slow).text).toContain('"result"');
    await closing;
    await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
    expect((await records(stage.folder)).at(-1)).toMatchObject({ detail: { action: "stop" } });
  });

  test("answers a call that is still running after drain.time: its outcome is unknown (O14)", {
    timeout: 20_000,
  }, async () => {
    stage = await openServiceStage({ ...file, drain: { delay: 0, time: 300 } });
    const stuck = stage.post("tools/call", { name: "slow", arguments: { id: "stuck" } });
    await expect.poll(() => stage?.station.station.calls.length).toBe(1);
    const started = performance.now();
    await stage.service.close();
    expect(performance.now() - started).toBeLessThan(5000);
    const { status, body } = await stuck;
    expect([status, body.error.data.reason]).toEqual([502, "outcome-unknown"]);
    const answers = (await records(stage.folder)).filter(({ event }) => event === "answer");
    expect(answers).toMatchObject([{ outcome: { kind: "refused", code: "outcome-unknown" } }]);
  });

  test("refuses requests on open connections while it closes, and closes those (O14)", {
    timeout: 20_000,
  }, async () => {
    stage = await openServiceStage({ drain: { delay: 0, time: 3000 } });
    const { url, close } = stage.service;
    const stuck = stage.post("tools/call", { name: "slow", arguments: { id: "stuck" } });
    await expect.poll(() => stage?.station.station.calls.length).toBe(1);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    const ended = new Promise((resolve) => socket.once("close", resolve));
    // The head of a request, so that the connection isn't idle when the gateway closes.
    socket.write(`GET /healthz HTTP/1.1\r\nhost: ${new URL(url).host}\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const closing = close();
    await expect.poll(() => fetch(`${url}/healthz`).catch(() => "closed")).toBe("closed");
    socket.write("\r\n");
    await ended;
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(text).toMatch(/\r\nretry-after: 1\r\n/i);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toContain('"reason":"draining"');
    await closing;
    await stuck;
  });

  test("logs that the issuer's keys are unavailable, rejects everyone and isn't ready", {
    timeout: 20_000,
  }, async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const jwks = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/keys`;
    stage = await openServiceStage({
      auth: { mode: "jwt", issuer: "https://id.example", audience: "gateway", jwks },
    });
    const token = [{ alg: "RS256", kid: "a" }, { iss: "https://id.example" }, "signature"]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const answer = await stage.post("tools/list", {}, { token });
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain(jwks);
    const told = stage.log.filter(({ msg }) => msg === "the issuer's keys can't be loaded");
    expect(told).toMatchObject([{ level: "error", issuer: "https://id.example" }]);
    expect((await fetch(`${stage.service.url}/readyz`)).status).toBe(503);
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });

  test("closes what it opened when it cannot start", async () => {
    stage = await openServiceStage(file);
    const port = Number(new URL(stage.service.url).port);
    const second = openServiceStage({
      listen: { port },
      engine: { driver: "sqlite", folder: "other" },
    });
    await expect(second).rejects.toMatchObject({
      name: "OperatorError",
      message: `Can't listen on 127.0.0.1:${port}: another program is using it. Change listen.port.`,
    });
    await expect(openServiceStage(file, { folder: stage.folder })).rejects.toMatchObject({
      name: "OperatorError",
      code: "engine",
    });
  });
});

describe("metrics", () => {
  test("count requests by server, method and outcome, and know the servers' state", async () => {
    stage = await openServiceStage({
      servers: { gone: { url: "http://127.0.0.1:9/mcp", private: true } },
    });
    await stage.post("tools/list", {}, { server: "gone" });
    await stage.post("made/up-by-a-caller", {}, { server: "gone" });
    await stage.post("tools/list", {}, { token: "wrong" });
    const { text } = await operator("/metrics");
    expect(text).toContain(
      'vitrine_requests_total{server="gone",method="tools/list",party="model",outcome="unavailable"} 1',
    );
    expect(text).toContain('method="other"');
    expect(text).not.toContain("made/up");
    expect(text).toContain('vitrine_upstream_up{server="gone"} 0');
    expect(text).toMatch(
      /vitrine_upstream_failures_total\{server="gone",code="unreachable"\} [1-9]/,
    );
    expect(text).toContain('vitrine_http_responses_total{status="401"} 1');
    expect(text).toContain("vitrine_views 0");
    expect(text).toMatch(/process_cpu_user_seconds_total /);
  });

  test("need the token if one is set, and reject foreign host names", async () => {
    stage = await openServiceStage({ operator: { port: 0, token: "a-token-of-operators" } });
    expect((await operator("/metrics")).status).toBe(401);
    expect(
      (await operator("/metrics", { authorization: "Bearer wrong-token-of-them" })).status,
    ).toBe(401);
    const right = { authorization: "Bearer a-token-of-operators" };
    expect((await operator("/metrics", right)).status).toBe(200);
    expect((await operator("/nothing")).status).toBe(404);
    await stage[Symbol.asyncDispose]();
    stage = await openServiceStage();
    const { port } = new URL(`${stage.service.operatorUrl}`);
    expect(await statusOf(Number(port), "evil.example")).toBe(421);
    expect(await statusOf(Number(port), `localhost:${port}`)).toBe(200);
  });
});

async function statusOf(port: number, host: string): Promise<number | undefined> {
  const { get } = await import("node:http");
  return new Promise((resolve, reject) => {
    get({ port, host: "127.0.0.1", path: "/metrics", headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on("error", reject);
  });
}

describe("the log", () => {
  test("contains who was refused what and why, and nothing of the message", async () => {
    stage = await openServiceStage();
    const secret = { name: "forecast", arguments: { city: "CANARY-argument" } };
    await stage.post("tools/call", secret);
    await stage.post("tools/call", { name: "nothing", arguments: { city: "CANARY-argument" } });
    await stage.post("tools/list", {}, { token: "CANARY-wrong-token" });
    const refused = stage.log.find(({ msg }) => msg === "request refused");
    expect(refused).toMatchObject({
      ...{ level: "info", server: "station", method: "tools/call", tool: "nothing" },
      ...{ party: "model", user: "developer", link: "visibility", code: "unknown-tool" },
    });
    expect(stage.log.find(({ msg }) => msg === "request rejected")).toMatchObject({ status: 401 });
    expect(stage.logText()).not.toContain("CANARY");
  });

  test("logs once that a server isn't responding, with its last lines on stderr", async () => {
    const dying = "console.error('no such database'); process.exit(3)";
    stage = await openServiceStage({
      servers: { dying: { command: [process.execPath, "-e", dying] } },
    });
    for (let round = 0; round < 3; round++) await stage.post("tools/list", {}, { server: "dying" });
    const told = stage.log.filter(({ msg }) => msg === "server isn't responding");
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      ...{ server: "dying", code: "crashed" },
      stderr: expect.stringContaining("no such database"),
    });
  });

  test("can't be forged, because names from callers are quoted (G143)", async () => {
    stage = await openServiceStage();
    const name = 'x"\n{"level":"info","msg":"forged"}';
    await stage.post("tools/call", { name }, { headers: { "mcp-name": "x" } });
    const encoded = `=?base64?${Buffer.from(name).toString("base64")}?=`;
    await stage.post("tools/call", { name }, { headers: { "mcp-name": encoded } });
    expect(stage.log.some(({ msg }) => msg === "forged")).toBe(false);
    expect(stage.log.some(({ tool }) => tool === name)).toBe(true);
  });
});

describe("the schema", () => {
  test("is where the published package has it", async () => {
    const manifest = JSON.parse(
      await readFile(new URL("../../package.json", import.meta.url), "utf8"),
    ) as { files: string[]; bin: Record<string, string> };
    expect(manifest.files).toContain("schema");
    expect(manifest.bin["vitrine-gateway"]).toBe("./dist/main.js");
  });
});
