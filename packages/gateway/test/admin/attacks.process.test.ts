// Attacks on the admin port: by pages of other sites, by users without a role, and by guessing.

import { request as send } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startIssuer, type TokenIssuer } from "../security/token-issuer.ts";
import { freePort } from "../service/stage.ts";
import { ADMIN_TOKEN, type AdminStage, callAdmin, openAdminStage } from "./stage.ts";

const SOON = Math.floor(Date.now() / 1000) + 600;
const PAUSE = "/servers/station/pause";

/** `fetch` doesn't let a caller choose the Host header. */
function withHost(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${ADMIN_TOKEN}` };
    send(url, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

describe("a page in a browser", () => {
  let stage: AdminStage;
  let cookie: string;
  let origin: string;
  beforeAll(async () => {
    stage = await openAdminStage();
    origin = `${stage.service.adminUrl}`;
    const answer = await stage.change(
      "/session",
      { token: ADMIN_TOKEN },
      { token: null, headers: { origin } },
    );
    expect(answer.status).toBe(200);
    const given = `${answer.headers.get("set-cookie")}`;
    expect(given).toMatch(/^vitrine-admin=[\w-]{43}; .*Path=\/; HttpOnly; SameSite=Strict$/);
    cookie = given.split(";")[0] as string;
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  const asPage = (headers: Record<string, string | null>) => ({ token: null, cookie, headers });

  test("changes something only from the console's own origin, with its header and JSON", async () => {
    const attempts: [Record<string, string | null>, number][] = [
      [{ origin: "https://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{ origin: `${origin}.evil.example` }, 403],
      [{ "sec-fetch-site": "cross-site", origin }, 403],
      [{ "sec-fetch-site": "same-site", origin }, 403],
      // A cookie without an origin isn't from the console.
      [{}, 403],
      [{ origin, "vitrine-admin": null }, 403],
      [{ origin, "content-type": "text/plain" }, 415],
      [{ origin, "content-type": "application/x-www-form-urlencoded" }, 415],
      [{ origin, "sec-fetch-site": "same-origin" }, 200],
    ];
    for (const [headers, status] of attempts) {
      const answer = await stage.change(PAUSE, {}, asPage(headers));
      expect([headers, answer.status]).toEqual([headers, status]);
      const isPaused = stage.service.gateway.states.paused("station") !== undefined;
      expect(isPaused).toBe(status === 200);
    }
    await stage.change("/servers/station/resume", {}, asPage({ origin }));
  });

  test("reads nothing under another name of the address (DNS rebinding)", async () => {
    const { port } = new URL(origin);
    const own = `127.0.0.1:${port}`;
    expect(await withHost(`${origin}/api/servers`, own)).toBe(200);
    for (const host of [`evil.example:${port}`, "evil.example", `localhost.evil.example:${port}`]) {
      expect([host, await withHost(`${origin}/api/servers`, host)]).toEqual([host, 421]);
      expect([host, await withHost(`${origin}/`, host)]).toEqual([host, 421]);
    }
  });

  test("can't read, keep, frame or embed a response", async () => {
    const { headers } = await stage.get("/servers", asPage({}));
    expect(headers.get("access-control-allow-origin")).toBe(null);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("x-frame-options")).toBe("DENY");
  });

  test("can't use a session that was ended, made up, or stored", async () => {
    expect((await stage.get("/session", asPage({}))).status).toBe(200);
    const forged = `vitrine-admin=${"A".repeat(43)}`;
    expect((await stage.get("/session", { token: null, cookie: forged })).status).toBe(401);
    const url = `${origin}/api/session`;
    await callAdmin(url, "DELETE", { token: null, cookie, headers: { origin } });
    expect((await stage.get("/session", asPage({}))).status).toBe(401);
  });

  test("malformed requests are refused in one sentence", async () => {
    for (const body of ["[]", "null", "{", '"x"']) {
      expect((await stage.change(PAUSE, body)).status).toBe(400);
    }
    expect((await stage.change(PAUSE, { reason: "x".repeat(1000) })).status).toBe(400);
    expect((await stage.change(PAUSE, `"${"x".repeat(70_000)}"`)).status).toBe(400);
    expect((await stage.get("/servers/%00")).status).toBe(404);
    expect((await stage.get("/nothing")).status).toBe(404);
  });

  // Last, because the address has to wait afterwards.
  test("can't guess the token: after ten failures, even the right one has to wait", async () => {
    for (let n = 0; n < 10; n++) {
      const answer = await stage.get("/servers", { token: `guess-${n}` });
      expect(answer.status).toBe(401);
      expect(answer.body.error.message).not.toContain(ADMIN_TOKEN);
    }
    expect((await stage.get("/servers")).status).toBe(429);
  });
});

describe("a token of an identity provider", () => {
  let issuer: TokenIssuer;
  let stage: AdminStage;
  let publicUrl: string;
  beforeAll(async () => {
    issuer = await startIssuer();
    const port = await freePort();
    publicUrl = `http://localhost:${port}`;
    stage = await openAdminStage({
      auth: {
        ...{ mode: "jwt", issuer: issuer.issuer, audience: "vitrine", tenantClaim: "tid" },
        ...{ jwks: `${issuer.issuer}/jwks`, groupsClaim: "groups" },
      },
      admin: {
        ...{ port, publicUrl, token: undefined },
        roles: {
          viewer: ["group:acme/support"],
          operator: ["group:acme/platform", "user:acme/root"],
        },
      },
    });
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
  });

  const tokenOf = (user: string, groups: string[] = [], aud: string | string[] = publicUrl) =>
    issuer.token(user, SOON, { aud, groups, tid: "acme", iat: Math.floor(Date.now() / 1000) });

  test("has the role of its groups or its user", async () => {
    const roles = async (token: string) => (await stage.get("/session", { token })).body.role;
    expect(await roles(await tokenOf("ann", ["platform"]))).toBe("operator");
    expect(await roles(await tokenOf("root"))).toBe("operator");
    expect(await roles(await tokenOf("sam", ["support"]))).toBe("viewer");
    const both = await tokenOf("eve", ["support", "platform"]);
    expect(await roles(both)).toBe("operator");
  });

  test("of a viewer reads everything and changes nothing", async () => {
    const token = await tokenOf("sam", ["support"]);
    for (const path of [
      "/overview",
      "/servers",
      "/views",
      "/calls",
      "/grants",
      "/users",
      "/audit",
    ]) {
      expect([path, (await stage.get(path, { token })).status]).toEqual([path, 200]);
    }
    const changes = [
      ...["/servers/station/pause", "/servers/station/resume", "/servers/station/check"],
      ...["/servers/station/tools/approve", "/views/x/end", "/calls/x/cancel", "/grants/revoke"],
      ...["/users/revoke", "/users/restore", "/approvals/x/approve", "/approvals/x/reject"],
    ];
    for (const path of changes) {
      const body = { tenant: "acme", user: "ann", server: "station", tool: "x", block: true };
      const answer = await stage.change(path, body, { token });
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 403, "forbidden"]);
    }
    expect(stage.service.gateway.revocations.list()).toEqual([]);
  });

  test("without a role, or issued for the gateway, isn't accepted; nor is an admin's at the gateway", async () => {
    expect((await stage.get("/servers", { token: await tokenOf("mallory") })).status).toBe(403);
    const ordinary = await tokenOf("ann", ["platform"], "vitrine");
    expect((await stage.get("/servers", { token: ordinary })).status).toBe(401);
    expect((await stage.post("tools/list", {}, { token: ordinary })).status).toBe(200);
    const admin = await tokenOf("ann", ["platform"]);
    expect((await stage.post("tools/list", {}, { token: admin })).status).toBe(401);
    // A user may be called like a group.
    const named = await tokenOf("platform", []);
    expect((await stage.get("/servers", { token: named })).status).toBe(403);
    // A group of the same name that another tenant made.
    const foreign = await issuer.token("ann", SOON, {
      ...{ aud: publicUrl, groups: ["platform"], tid: "other" },
      iat: Math.floor(Date.now() / 1000),
    });
    expect((await stage.get("/servers", { token: foreign })).status).toBe(403);
    const shaped = await tokenOf("x", ["user:acme/root", "acme/root"]);
    expect((await stage.get("/servers", { token: shaped })).status).toBe(403);
  });

  test("ends with the access of its user, and so do sessions", async () => {
    const token = await tokenOf("leaver", ["platform"]);
    const headers = { origin: publicUrl, host: new URL(publicUrl).host };
    const session = await callAdmin(`${publicUrl}/api/session`, "POST", {
      ...{ token: null, headers, body: { token } },
    });
    const cookie = `${session.headers.get("set-cookie")}`.split(";")[0] as string;
    const read = () => callAdmin(`${publicUrl}/api/servers`, "GET", { token: null, cookie });
    expect((await read()).status).toBe(200);
    const root = await tokenOf("root");
    const off = { tenant: "acme", user: "leaver", block: true };
    expect((await stage.change("/users/revoke", off, { token: root })).status).toBe(200);
    expect((await read()).status).toBe(401);
    expect((await stage.get("/servers", { token })).status).toBe(403);
  });
});
