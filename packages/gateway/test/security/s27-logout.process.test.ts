// After a logout nothing uses the user's token any more, in any process, and the authorization server is
// asked to revoke it.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createMemoryEngine, type Engine } from "../../src/engine/index.ts";
import { createOAuthServer } from "../../src/identity/credentials/authority.ts";
import { createCredentials } from "../../src/identity/credentials/credentials.ts";
import { createAddressGuard, createHttpUpstream } from "../../src/upstreams/index.ts";
import { OAuthServer } from "../identity/oauth-server.ts";
import { ANNA, KEYS, openCredentialStage, PAGE, PUBLIC_URL } from "../identity/stage.ts";
import type { Json } from "../stage.ts";

interface Seen {
  method: string | undefined;
  headers: IncomingMessage["headers"];
  body: Json;
}

/**
 * A server of 2025-11-25 with sessions, whose change stream ends immediately, so that it is reopened again
 * and again.
 */
async function serveLegacy(authority: OAuthServer) {
  const seen: Seen[] = [];
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const json = (value: unknown, headers = {}): void =>
      void response
        .writeHead(200, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(value));
    if (request.url?.startsWith("/.well-known/")) {
      return json({ resource: url, authorization_servers: [authority.issuer] });
    }
    const body = text ? JSON.parse(text) : {};
    seen.push({ method: request.method, headers: request.headers, body });
    if (request.method === "GET") {
      return void response.writeHead(200, { "content-type": "text/event-stream" }).end(": hi\n\n");
    }
    if (request.method === "DELETE" || body.id === undefined) {
      return void response.writeHead(202).end();
    }
    const { id, method } = body;
    if (method === "tools/call") return;
    const result =
      method === "initialize"
        ? {
            protocolVersion: "2025-11-25",
            capabilities: { tools: { listChanged: true } },
            serverInfo: { name: "s", version: "1" },
          }
        : { tools: [] };
    json({ jsonrpc: "2.0", id, result }, { "mcp-session-id": "S1" });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const url = `http://${host}/mcp`;
  const close = async (): Promise<void> => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  return { url, host, seen, close };
}

/** One process of a gateway. */
function openProcess(engine: Engine, url: string, exempt: string[]) {
  const guard = createAddressGuard({ exempt });
  const server = createOAuthServer({ id: "s", url, oauth: {}, guard });
  const credentials = createCredentials({
    ...{ engine, keys: KEYS, publicUrl: PUBLIC_URL, origins: [PAGE] },
  });
  const http = createHttpUpstream({ id: "s", url, guard, era: "legacy", relisten: 50 });
  const upstream = credentials.wrap(http, server, { sessions: http });
  return { server, credentials, upstream };
}

async function openPair() {
  const authority = await new OAuthServer().listen();
  const legacy = await serveLegacy(authority);
  const engine = createMemoryEngine();
  const exempt = [authority.host, legacy.host];
  const [here, there] = [
    openProcess(engine, legacy.url, exempt),
    openProcess(engine, legacy.url, exempt),
  ];
  const { flow } = here.credentials;
  const back = await authority.open((await flow.begin(ANNA, here.server)).url);
  const answer = Object.fromEntries(back.searchParams) as { state: string; code: string };
  const { confirmation = "" } = await flow.arrive("s", answer);
  await flow.confirm(ANNA, here.server, confirmation);
  const dispose = async (): Promise<void> => {
    for (const { upstream, credentials } of [here, there]) {
      await upstream.close();
      credentials.close();
    }
    await engine.close();
    await legacy.close();
    await authority[Symbol.asyncDispose]();
  };
  return { authority, legacy, here, there, [Symbol.asyncDispose]: dispose };
}

const withToken = (seen: readonly Seen[]): Seen[] =>
  seen.filter(({ headers }) => `${headers.authorization}`.startsWith("Bearer CANARY-access"));

test("S27: a logout in one process ends the user's streams and sessions in all of them", async () => {
  await using scene = await openPair();
  const { legacy, here, there } = scene;
  for (const { upstream } of [here, there]) upstream.listen(ANNA, () => {});
  const streams = () => legacy.seen.filter(({ method }) => method === "GET").length;
  await expect.poll(streams).toBeGreaterThan(4);
  await here.credentials.disconnect(ANNA, here.server);
  await sleep(300);
  expect(legacy.seen.filter(({ method }) => method === "DELETE")).toHaveLength(2);
  const before = legacy.seen.length;
  await sleep(500);
  expect(withToken(legacy.seen.slice(before))).toEqual([]);
  await expect(there.upstream.discover(ANNA)).rejects.toMatchObject({ code: "unauthorized" });
  expect(legacy.seen.slice(before)).toEqual([]);
});

test("S27: a call that is under way ends with the logout", async () => {
  await using scene = await openPair();
  const { legacy, there, here } = scene;
  const calling = there.upstream.send({
    id: 1,
    method: "tools/call",
    params: { name: "x" },
    message: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } },
    signal: new AbortController().signal,
    deadline: 30_000,
    scope: ANNA,
  } as never);
  const ended = calling.then(
    () => "answered",
    ({ code }) => code,
  );
  await expect.poll(() => legacy.seen.some(({ body }) => body.method === "tools/call")).toBe(true);
  const began = performance.now();
  await here.credentials.disconnect(ANNA, here.server);
  expect(await ended).not.toBe("answered");
  expect(performance.now() - began).toBeLessThan(15_000);
});

test("S27: the authorization server is asked to revoke both tokens", async () => {
  await using stage = await openCredentialStage();
  await stage.login();
  await stage.call();
  await stage.credentials.disconnect(ANNA, stage.server);
  const said = stage.authority.revocations.map((form) => [
    form.get("token_type_hint"),
    form.get("token")?.slice(0, 10),
    form.get("client_id"),
  ]);
  expect(said).toEqual([
    ["refresh_token", "CANARY-ref", "client-1"],
    ["access_token", "CANARY-acc", "client-1"],
  ]);
  await expect(stage.call()).rejects.toMatchObject({ code: "unauthorized" });
});

test("S27: an authorization server that doesn't answer delays a logout by seconds at most", async () => {
  await using stage = await openCredentialStage();
  await stage.login();
  stage.authority.revocationDelay = 60_000;
  const began = performance.now();
  await stage.credentials.disconnect(ANNA, stage.server);
  // Less than the time limit of the request itself.
  expect(performance.now() - began).toBeLessThan(8000);
  expect(await stage.credentials.isConnected(ANNA, stage.server)).toBe(false);
});

test("S27: a token that was refreshed while the user logged out is revoked too", async () => {
  let now = Date.now();
  await using stage = await openCredentialStage({ clock: () => now });
  await stage.login();
  now += 3_600_000;
  stage.authority.answerDelay = 400;
  const calling = stage.call().catch(({ code }) => code);
  await expect.poll(() => stage.authority.issued).toBe(2);
  await stage.credentials.disconnect(ANNA, stage.server);
  expect(await calling).toBe("unauthorized");
  expect(stage.authority.revocations).toHaveLength(4);
  expect(stage.authority.tokens.size).toBe(0);
});
