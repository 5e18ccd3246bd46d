// The chat's API runs programs and a model at the user's expense, so only its own page may use it.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type ChatSession, openChatSession } from "../../src/chat/chat-session.ts";
import { openModel } from "../../src/chat/model/chat-model.ts";
import { startServers } from "../../src/chat/servers/chat-servers.ts";

vi.setConfig({ hookTimeout: 60_000 });

let session: ChatSession;
let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "vitrine-guard-"));
  const model = await openModel(
    { kind: "anthropic", model: "m" },
    { env: { ANTHROPIC_API_KEY: "sk-1" } },
  );
  session = await openChatSession({
    model,
    data,
    servers: (context) => startServers(new Map(), context),
  });
});
afterAll(async () => {
  await session.close();
  await rm(data, { recursive: true, force: true });
});

const origin = (): string => new URL(session.url).origin;
const key = (): string => new URLSearchParams(new URL(session.url).hash.slice(1)).get("key") ?? "";

interface Attempt {
  path?: string;
  method?: string;
  headers?: Record<string, string | undefined>;
  body?: string;
}

/** Sends a request as the page does, with changes. */
async function send({ path = "/api/conversations", method = "GET", headers, body }: Attempt = {}) {
  const { port, host } = new URL(session.url);
  const all = {
    host,
    origin: origin(),
    "x-vitrine-key": key(),
    ...headers,
  };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  const sent = request({
    port,
    host: "127.0.0.1",
    path,
    method,
    headers: Object.fromEntries(given),
  });
  sent.end(body);
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode as number, text, headers: response.headers };
}

const ROUTES: readonly [string, string][] = [
  ["GET", "/api/welcome"],
  ["GET", "/api/live"],
  ["GET", "/api/conversations"],
  ["GET", "/api/conversations/x"],
  ["PATCH", "/api/conversations/x"],
  ["DELETE", "/api/conversations/x"],
  ["PUT", "/api/conversations/x/records/y"],
  ["PUT", "/api/answers/x"],
  ["GET", "/api/grants"],
  ["POST", "/api/grants"],
  ["POST", "/api/chat"],
  ["POST", "/api/sample"],
  ["POST", "/api/apps"],
  ["POST", "/api/questions/x"],
  ["POST", "/api/servers/x/retry"],
  ["POST", "/api/servers/x/login"],
];

describe("the chat's API", () => {
  test("answers its own page", async () => {
    expect(await send()).toMatchObject({ status: 200, text: "[]" });
    // A browser leaves out the origin of its own GET requests.
    const own = { origin: undefined, "sec-fetch-site": "same-origin" };
    expect((await send({ headers: own })).status).toBe(200);
  });

  test.each(ROUTES)("rejects %s %s without the secret", async (method, path) => {
    expect((await send({ method, path, headers: { "x-vitrine-key": undefined } })).status).toBe(
      403,
    );
    expect(
      (await send({ method, path, headers: { "x-vitrine-key": "x".repeat(43) } })).status,
    ).toBe(403);
  });

  test.each(ROUTES)("rejects %s %s of another site with the secret", async (method, path) => {
    const from = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await send({ method, path, headers: from })).status).toBe(403);
  });

  test.each([
    ["another port of the same name", () => ({ origin: "http://vitrine.localhost:1" })],
    ["the address by number", () => ({ origin: `http://127.0.0.1:${new URL(session.url).port}` })],
    ["an opaque origin", () => ({ origin: "null" })],
    ["no origin", () => ({ origin: undefined })],
    ["no origin and another site", () => ({ origin: undefined, "sec-fetch-site": "same-site" })],
    [
      "a name that DNS was rebound for",
      () => ({ host: "evil.example", origin: "http://evil.example" }),
    ],
    [
      "a rebound name with our origin",
      () => ({ host: `evil.example:${new URL(session.url).port}` }),
    ],
  ])("rejects a request with %s", async (_, headers) => {
    expect((await send({ headers: headers() })).status).toBe(403);
  });

  test("rejects a change without an origin, even if it claims to be the page's own", async () => {
    const headers = { origin: undefined, "sec-fetch-site": "same-origin" };
    expect((await send({ method: "DELETE", path: "/api/conversations/x", headers })).status).toBe(
      403,
    );
  });

  test.each([
    ["no JSON", "{"],
    ["no messages", "{}"],
    ["an id with a path", JSON.stringify({ id: "../x", messages: [] })],
    ["messages that aren't messages", JSON.stringify({ id: "x", messages: [1] })],
  ])("survives a turn with %s", async (_, body) => {
    const { status, text } = await send({ method: "POST", path: "/api/chat", body });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toContain("node_modules");
    expect((await send()).status).toBe(200);
  });

  test.each(["/api/", "/api/nothing", "//api/welcome", "/api/%", "/api/conversations/%zz"])(
    "has nothing at %s",
    async (path) => {
      const { status } = await send({ path });
      expect([404, 400]).toContain(status);
    },
  );

  test("ignores a callback that no log-in waits for", async () => {
    const { text, headers } = await send({
      path: "/callback?code=x&state=<script>",
      headers: { origin: undefined },
    });
    expect(text).toContain("This log-in isn't known");
    expect(headers["content-type"]).toContain("text/plain");
  });
});

test("the page has a strict policy: no inline script, no remote image, no frame around it", async () => {
  const { headers, text } = await send({ path: "/" });
  const policy = String(headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("img-src 'self' data:;");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers["x-dns-prefetch-control"]).toBe("off");
  expect(text).not.toContain(key());
});
