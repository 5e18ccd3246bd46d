// Connections through a real CONNECT proxy, to hosts whose names only the proxy can resolve (O13).

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server as NetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { afterEach, beforeAll, expect, test } from "vitest";
import { useProxy } from "../../src/service/outbound-proxy.ts";
import { createAddressGuard } from "../../src/upstreams/address-guard.ts";
import { isDirect } from "../../src/upstreams/proxy-tunnel.ts";

const OUTSIDE = "outside.example";
let tls: { key: string; cert: string };
const open: NetServer[] = [];

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-proxy-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  execFileSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-days", "2", "-subj", `/CN=${OUTSIDE}`, "-addext", `subjectAltName=DNS:${OUTSIDE}`],
    ...["-keyout", key, "-out", cert],
  ]);
  tls = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  rmSync(folder, { recursive: true });
});

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function listen(server: NetServer): Promise<number> {
  open.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A proxy that knows where `outside.example` is. */
async function openProxy(port: number, answer = "HTTP/1.1 200 OK\r\n\r\n") {
  const targets: string[] = [];
  const logins: unknown[] = [];
  const server: Server = createServer();
  server.on("connect", (request, socket) => {
    targets.push(`${request.url}`);
    logins.push(request.headers["proxy-authorization"]);
    socket.on("error", () => {});
    if (!answer.includes(" 200 ")) return void socket.end(answer);
    const outside = connect(port, "127.0.0.1", () => {
      socket.write(answer);
      outside.pipe(socket).pipe(outside);
    });
    outside.on("error", () => socket.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, targets, logins };
}

test("a server on the internet is reached through the proxy, with TLS to the server itself", async () => {
  const port = await listen(createTlsServer(tls, (_request, response) => response.end("hello")));
  const proxy = await openProxy(port);
  const login = { user: "gateway", password: "first" };
  const guard = createAddressGuard({ ca: tls.cert, proxy: { url: proxy.url, login: () => login } });
  const pool = new Pool(`https://${OUTSIDE}`, { connect: guard.connect, pipelining: 0 });
  const read = async (): Promise<string> =>
    (await pool.request({ path: "/", method: "GET", reset: true })).body.text();
  expect(await read()).toBe("hello");
  login.password = "second";
  expect(await read()).toBe("hello");
  expect(proxy.targets).toEqual([`${OUTSIDE}:443`, `${OUTSIDE}:443`]);
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
  expect(proxy.logins).toEqual([basic("gateway:first"), basic("gateway:second")]);
  await pool.destroy();
});

test.each([
  ["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "refused the connection (407)"],
  ["SSH-2.0-x\r\n\r\n", "isn't an HTTP proxy"],
  [`HTTP/1.1 200${"x".repeat(20_000)}`, "is too long"],
  ["", "closed the connection"],
])("a proxy that answers %.12j fails the call with the reason", async (answer, reason) => {
  const proxy = await openProxy(1, answer);
  const guard = createAddressGuard({ proxy: { url: proxy.url } });
  const pool = new Pool(`https://${OUTSIDE}`, { connect: guard.connect });
  const failed = pool.request({ path: "/", method: "GET" });
  await expect(failed).rejects.toMatchObject({
    code: "unreachable",
    message: expect.stringContaining(reason),
  });
  await pool.destroy();
});

test("the proxy doesn't open the inner network: private addresses and plain http stay refused", async () => {
  const proxy = await openProxy(1);
  const guard = createAddressGuard({ proxy: { url: proxy.url } });
  expect(() => guard.check(new URL("https://10.0.0.1/mcp"))).toThrow(
    "isn't on the public internet",
  );
  expect(() => guard.check(new URL(`http://${OUTSIDE}/mcp`))).toThrow("doesn't use https");
  const pool = new Pool("https://169.254.169.254", { connect: guard.connect });
  await expect(pool.request({ path: "/", method: "GET" })).rejects.toMatchObject({
    code: "refused-address",
  });
  expect(proxy.targets).toEqual([]);
  await pool.destroy();
});

test("the gateway's own requests use the proxy too, except to this machine", async () => {
  const port = await listen(createServer((_request, response) => response.end("issuer")));
  const proxy = await openProxy(port);
  const stop = useProxy({ url: proxy.url });
  try {
    expect(await (await fetch("http://login.example/keys")).text()).toBe("issuer");
    expect(await (await fetch(`http://127.0.0.1:${port}/keys`)).text()).toBe("issuer");
  } finally {
    await stop();
  }
  expect(proxy.targets).toEqual(["login.example:80"]);
});

test("hosts that are named are reached directly", () => {
  const proxy = { url: "http://p", direct: ["Inner.example", ".corp.example"] };
  const hosts = ["inner.example", "corp.example", "a.corp.example", "[::1]", "view.localhost"];
  expect(hosts.filter((host) => !isDirect(proxy, host))).toEqual([]);
  expect(isDirect(proxy, "notcorp.example")).toBe(false);
  expect(isDirect(proxy, "inner.example.evil.example")).toBe(false);
});
