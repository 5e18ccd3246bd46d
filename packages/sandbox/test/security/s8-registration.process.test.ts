import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createNodeListener } from "../../src/adapters/node.ts";
import { networkOf } from "../../src/anonymous-quota.ts";
import { createSandbox, type Sandbox, type SandboxConfig } from "../../src/handler.ts";
import { DOMAIN, ENTRANCE, FRAME, HTML, PROXY, Stage, settings } from "../sandbox-stage.ts";

const alice = { tenant: "acme", user: "alice", server: "bank", resource: "ui://bank/home" };
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

interface Attacker {
  sandbox: Sandbox;
  /** Registers a View as a program does that forges a browser's headers; the status and the body. */
  register(registration: object): Promise<{ status: number; text: string }>;
  get(path: string): Promise<{ status: number; text: string }>;
}

/** A deployed sandbox, and a program without a browser that talks to it. */
async function attack(config: Partial<SandboxConfig>): Promise<Attacker> {
  const sandbox = createSandbox({ origins: DOMAIN, ...config });
  const server = createServer({ keepAlive: true }, createNodeListener(sandbox));
  servers.push(server);
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(0)));
  const { port } = server.address() as AddressInfo;
  const send = (
    method: string,
    path: string,
    headers: Record<string, string>,
    body = "",
  ): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port, path, method };
      const all = { host: new URL(PROXY).host, ...headers };
      const outgoing = httpRequest({ ...options, headers: all }, (incoming) => {
        let text = "";
        incoming.on("data", (chunk) => {
          text += chunk;
        });
        incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, text }));
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  return {
    sandbox,
    get: (path) => send("GET", path, FRAME),
    register: async (registration) => {
      const { token } = settings((await send("GET", "/", FRAME)).text);
      const headers = { ...ENTRANCE, "vitrine-token": String(token) };
      return send("POST", "/views", headers, JSON.stringify({ html: HTML, ...registration }));
    },
  };
}

describe("S8: a program that forges a browser's headers", () => {
  test("S8: registers nothing at a production sandbox", async () => {
    const { register } = await attack({});
    for (const registration of [{}, { vitrine: alice }, { vitrine: { ...alice, hold: true } }]) {
      const { status, text } = await register(registration);
      expect(status).toBe(403);
      expect(text).toBe("This sandbox needs a credential from the host's server or the gateway.");
    }
  });

  test("S8: never learns a stable label by claiming a user's name", async () => {
    const { sandbox, register, get } = await attack({ registration: "anonymous" });
    const { viewOrigin } = await sandbox.register({ ...alice, html: HTML });
    const seen = new Set<string>();
    for (let at = 0; at < 3; at += 1) {
      const { path } = JSON.parse((await register({ vitrine: alice })).text);
      const page = await get(path);
      expect(page.text).not.toContain(new URL(viewOrigin).host);
      seen.add(String(settings(page.text).origin));
    }
    expect(seen.size).toBe(3);
  });

  test("S8: 4,999 registrations leave room for every other host", async () => {
    // As a Host without a server sees it, and as one with credentials does.
    const { sandbox, register } = await attack({ registration: "anonymous" });
    const counts = new Map<number, number>();
    const flood = async (amount: number): Promise<void> => {
      for (let at = 0; at < amount; at += 1) {
        const { status } = await register({ html: "x", vitrine: alice });
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
    };
    await Promise.all([2000, 2000, 999].map(flood));
    expect(counts).toEqual(
      new Map([
        [201, 1000],
        [429, 3999],
      ]),
    );
    const html = "<p>".repeat(300_000);
    await sandbox.register({ server: "honest", resource: "ui://a", html });
    const outsider = await register({ html });
    expect(outsider.status).toBe(429);
  }, 300_000);

  test("S8: large documents are bounded for one address and for all", async () => {
    const { sandbox, register } = await attack({ registration: "anonymous" });
    const html = "x".repeat(4_900_000);
    const statuses: number[] = [];
    for (let at = 0; at < 8; at += 1) {
      statuses.push((await register({ html, vitrine: { ...alice, hold: true } })).status);
    }
    expect(statuses).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
    await sandbox.register({ server: "honest", resource: "ui://a", html });
  });
});

describe("S8: anonymous registration", () => {
  const enter = (stage: Stage, address?: string, html = HTML): Promise<Response> =>
    stage.postView(JSON.stringify({ html }), ENTRANCE, address);

  test("S8: has a quota for each address; unknown addresses share one", async () => {
    const stage = new Stage({ limits: { addressViews: 2 } });
    const statuses = async (address?: string): Promise<number[]> => {
      const answers = [];
      for (let at = 0; at < 3; at += 1) answers.push(await enter(stage, address));
      return answers.map(({ status }) => status);
    };
    expect(await statuses("192.0.2.1")).toEqual([201, 201, 429]);
    expect(await statuses("198.51.100.7")).toEqual([201, 201, 429]);
    expect(await statuses()).toEqual([201, 201, 429]);
    expect(await statuses("::ffff:192.0.2.1")).toEqual([429, 429, 429]);
    stage.now += 60 * 60_000;
    expect(await statuses("192.0.2.1")).toEqual([201, 201, 429]);
  });

  test("S8: many addresses together have one share, and credentials none of it", async () => {
    const stage = new Stage({ limits: { anonymousViews: 20 } });
    const statuses: number[] = [];
    for (let at = 0; at < 30; at += 1) {
      statuses.push((await enter(stage, `10.0.0.${at}`)).status);
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    const credential = await stage.sandbox.issueCredential(alice);
    const headers = { ...ENTRANCE, "vitrine-credential": credential };
    expect((await stage.enter({}, headers)).status).toBe(201);
  });

  test("S8: a refused address uses up nothing of what others have", async () => {
    const stage = new Stage({ limits: { addressViews: 1, anonymousViews: 2 } });
    for (let at = 0; at < 10; at += 1) await enter(stage, "192.0.2.1");
    expect((await enter(stage, "192.0.2.2")).status).toBe(201);
  });

  test("S8: bytes are counted for a minute", async () => {
    const stage = new Stage({ limits: { addressBytes: 5000 } });
    const html = "x".repeat(2000);
    expect((await enter(stage, "192.0.2.1", html)).status).toBe(201);
    expect((await enter(stage, "192.0.2.1", html)).status).toBe(429);
    stage.now += 60_000;
    expect((await enter(stage, "192.0.2.1", html)).status).toBe(201);
  });

  test("S8: an IPv6 client is its network of 64 bits", () => {
    const networks = [
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
      ["2001:0db8:0001:0002::9", "2001:db8:1:2"],
      ["2001:db8::1", "2001:db8:0:0"],
      ["::1", "0:0:0:0"],
      ["fe80::1%eth0", "fe80:0:0:0"],
      ["::ffff:192.0.2.1", "192.0.2.1"],
      ["192.0.2.1", "192.0.2.1"],
    ] as const;
    for (const [address, network] of networks) expect(networkOf(address)).toBe(network);
  });
});

describe("S8: a credential", () => {
  const enter = (stage: Stage, credential: string): Promise<Response> =>
    stage.enter({ vitrine: alice }, { ...ENTRANCE, "vitrine-credential": credential });

  test("S8: works once, until it expires, at the deployment that issued it", async () => {
    const stage = new Stage({ registration: "credential" });
    const { sandbox } = stage;
    const once = await sandbox.issueCredential(alice);
    const both = await Promise.all([enter(stage, once), enter(stage, once)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
    const old = await sandbox.issueCredential(alice);
    stage.now += 60_000;
    expect((await enter(stage, old)).status).toBe(401);
    const other = new Stage({ origins: { ...DOMAIN, key: "another key of thirty-two bytes!" } });
    expect((await enter(stage, await other.sandbox.issueCredential(alice))).status).toBe(401);
  });

  test("S8: can't be changed, cut or replaced by a token, also where anonymous Views are", async () => {
    const stage = new Stage();
    const credential = await stage.sandbox.issueCredential(alice);
    const [payload = "", mark = ""] = credential.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const forge = (changes: object): string =>
      Buffer.from(JSON.stringify({ ...claims, ...changes })).toString("base64url");
    const forged = [
      "",
      "x",
      payload,
      `${payload}.`,
      `${payload}.${"a".repeat(32)}`,
      `${forge({ user: "bob" })}.${mark}`,
      `${forge({ until: claims.until + 1 })}.${mark}`,
      `${credential}x`,
      `${"x".repeat(100_000)}.${mark}`,
      await stage.token(),
    ];
    for (const wrong of forged) expect((await enter(stage, wrong)).status).toBe(401);
    expect((await enter(stage, credential)).status).toBe(201);
  });

  test("S8: is bound to one host if it names one", async () => {
    const hosts = ["https://chat.example", "https://other.example"];
    const stage = new Stage({ origins: { ...DOMAIN, hosts } });
    const host = "https://other.example";
    const credential = await stage.sandbox.issueCredential(alice, { host });
    const { path } = await (await enter(stage, credential)).json();
    const page = await stage.frame(`${PROXY}${path}`);
    expect(page.headers.get("content-security-policy")).toContain(`frame-ancestors ${host};`);
    const foreign = stage.sandbox.issueCredential(alice, { host: "https://evil.example" });
    await expect(foreign).rejects.toMatchObject({ code: "bad-origin" });
  });

  test("S8: isn't issued for ever, for no name, or longer than a header", async () => {
    const { sandbox } = new Stage();
    for (const lifetime of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 600_001]) {
      const issued = sandbox.issueCredential(alice, { lifetime });
      await expect(issued).rejects.toMatchObject({ code: "bad-lifetime" });
    }
    const nameless = { ...alice, server: undefined as unknown as string };
    await expect(sandbox.issueCredential(nameless)).rejects.toMatchObject({ code: "bad-identity" });
    const long = { ...alice, resource: "x".repeat(5000) };
    await expect(sandbox.issueCredential(long)).rejects.toMatchObject({ code: "long-identity" });
  });

  test("S8: keeps names of any language and punctuation", async () => {
    const stage = new Stage({ registration: "credential" });
    const identity = { ...alice, user: 'ann "é" 😀 \0', tenant: "__proto__" };
    const response = await enter(stage, await stage.sandbox.issueCredential(identity));
    const page = await stage.frame(`${PROXY}${(await response.json()).path}`);
    const { viewOrigin } = await stage.open(identity);
    expect(settings(await page.text()).origin).toBe(viewOrigin);
  });

  test("S8: `authorize` sees whose View it is, and can replace the credential", async () => {
    const seen: unknown[] = [];
    const stage = new Stage({
      registration: "credential",
      authorize: (_request, { identity }) => {
        seen.push(identity);
        return identity ? true : { identity: { ...alice, user: "session" } };
      },
    });
    await enter(stage, await stage.sandbox.issueCredential(alice));
    const response = await stage.enter({ vitrine: alice });
    expect(seen).toEqual([alice, undefined]);
    const page = await stage.frame(`${PROXY}${(await response.json()).path}`);
    const { viewOrigin } = await stage.open({ ...alice, user: "session" });
    expect(settings(await page.text()).origin).toBe(viewOrigin);
    const silent = new Stage({ registration: "credential", authorize: () => true });
    expect((await silent.enter({ vitrine: alice })).status).toBe(403);
  });
});
