import { createServer, request as httpRequest, type Server, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createNodeListener, SANDBOX_SERVER_OPTIONS } from "../../src/adapters/node.ts";
import { createSandbox } from "../../src/handler.ts";
import { DOMAIN, FRAME, HTML, KEY, PROXY, SINGLE, Stage } from "../sandbox-stage.ts";

// What Chromium keeps for one domain: 180 cookies of 4 KiB.
const JAR = Array.from({ length: 180 }, (_, at) => `b${at}=${"x".repeat(4090)}`).join("; ");
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** The status and `Clear-Site-Data` for a view's relay page, which a browser asks for with cookies. */
async function openWithCookies(
  options: ServerOptions,
): Promise<{ status: number | undefined; clears: unknown }> {
  const sandbox = createSandbox({ origins: DOMAIN });
  const server = createServer(options, createNodeListener(sandbox));
  servers.push(server);
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(0)));
  const { port } = server.address() as AddressInfo;
  const { proxyUrl } = await sandbox.register({ server: "s", resource: "ui://r", html: HTML });
  const { host, pathname: path } = new URL(proxyUrl);
  const headers = { host, ...FRAME, cookie: JAR };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: "127.0.0.1", port, path, headers }, (incoming) => {
      incoming.resume();
      const { statusCode: status } = incoming;
      resolve({ status, clears: incoming.headers["clear-site-data"] });
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

test("S34: a browser full of cookies still gets its view, and the cookies are cleared", async () => {
  const opened = await openWithCookies(SANDBOX_SERVER_OPTIONS);
  expect(opened).toEqual({ status: 200, clears: '"cookies"' });
  // Without the options the server can't answer, and so never gets rid of them.
  expect((await openWithCookies({})).status).toBe(431);
});

test("S34: every response to a request with cookies clears them, and no other does", async () => {
  const stage = new Stage();
  const cookie = { cookie: "left=by another view" };
  const clears = async (url: string, headers = {}): Promise<string | null> =>
    (await stage.frame(url, headers)).headers.get("clear-site-data");
  const { proxyUrl } = await stage.sandbox.register({ server: "s", resource: "r", html: HTML });
  for (const url of [proxyUrl, `${PROXY}/`, `${PROXY}/nothing`]) {
    expect(await clears(url)).toBe(null);
    expect(await clears(url, cookie)).toBe('"cookies"');
  }
  const { viewUrl } = await stage.open();
  expect(await clears(viewUrl, cookie)).toBe('"cookies"');
});

test("S34: on the host's own origin its cookies are left alone", async () => {
  const localhost = { tier: "localhost", hosts: ["http://app.localhost:1"], port: 2, key: KEY };
  for (const origins of [SINGLE, localhost as typeof SINGLE]) {
    const { sandbox } = new Stage({ origins });
    const { proxyUrl } = await sandbox.register({ server: "s", resource: "r", html: HTML });
    const headers = { ...FRAME, cookie: "session=1" };
    const page = await sandbox.fetch(new Request(proxyUrl, { headers }));
    expect(page.status).toBe(200);
    expect(page.headers.has("clear-site-data")).toBe(false);
  }
});

test("S35: a domain that isn't on the Public Suffix List is warned of, with what is weaker", () => {
  const warnings = (domain: string): readonly { code: string; message: string }[] =>
    createSandbox({ origins: { ...DOMAIN, domain } as typeof DOMAIN }).warnings;
  const [warning, ...more] = warnings("https://usercontent.example");
  expect(more).toEqual([]);
  expect(warning?.code).toBe("not-a-public-suffix");
  expect(warning?.message).toContain('"usercontent.example" isn\'t on the Public Suffix List');
  expect(warning?.message).toContain("cookies and the HTTP cache");
  expect(warnings("https://a.github.io")).toHaveLength(1);
  expect(warnings("https://github.io")).toEqual([]);
  expect(warnings("https://web.app")).toEqual([]);
  expect(createSandbox({ origins: SINGLE }).warnings).toEqual([]);
});
