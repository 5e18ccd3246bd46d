import { execFileSync } from "node:child_process";
import type { LookupAddress } from "node:dns";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendJson, serveRaw } from "@vitrine/internal/raw-server";
import { Pool } from "undici";
import { describe, expect, test } from "vitest";
import { createAddressGuard } from "../../src/upstreams/address-guard.ts";
import { createHttpUpstream } from "../../src/upstreams/http-upstream.ts";
import { isPublicAddress } from "../../src/upstreams/ip-address.ts";
import { toolCall } from "./calls.ts";

const address = (address: string): LookupAddress => ({
  address,
  family: address.includes(":") ? 6 : 4,
});

describe("the guard of addresses", () => {
  test.each([
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.255",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "0:0:0:0:0:ffff:7f00:0001",
    "::ffff:a9fe:a9fe",
    "::ffff:0:7f00:1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:0:808:808::f7f7:f7f7",
    "2001:2::1",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "",
    "localhost",
    "127.1",
    "0x7f000001",
    "017700000001",
    "1.2.3.4.5",
    "1:2:3",
    ":::",
    "1::2::3",
    "12345::",
  ])("%j is not on the public internet", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  test.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.1",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450:4001:81b::200e",
    "::ffff:1.1.1.1",
    "64:ff9b::808:808",
  ])("%s is", (text) => {
    expect(isPublicAddress(text)).toBe(true);
  });

  test("allows only https, without credentials, and no private IP address", () => {
    const { check } = createAddressGuard({
      exempt: ["localhost:3000", "[::1]:3000", "10.0.0.7:443"],
    });
    const isRefused = (url: string) => {
      try {
        check(new URL(url));
        return false;
      } catch (error) {
        expect(error).toMatchObject({ code: "refused-address" });
        return true;
      }
    };
    for (const url of [
      "http://example.com/",
      "ftp://example.com/",
      "file:///etc/passwd",
      "https://user:pass@example.com/",
      "https://user@example.com/",
      "https://127.0.0.1/",
      "https://0x7f.1/",
      "https://2130706433/",
      "https://[::ffff:7f00:1]/",
      "https://[64:ff9b::7f00:1]/",
      "https://169.254.169.254/latest",
      "http://localhost:3001/",
      "http://localhost/",
      "https://10.0.0.7:8443/",
      "http://user@localhost:3000/",
    ]) {
      expect(isRefused(url), url).toBe(true);
    }
    for (const url of [
      "https://example.com/",
      "https://example.com:8443/",
      "https://1.1.1.1/",
      "http://localhost:3000/mcp",
      "http://LOCALHOST.:3000/mcp",
      "http://[::1]:3000/",
      "https://10.0.0.7/",
    ]) {
      expect(isRefused(url), url).toBe(false);
    }
    for (const entry of ["localhost", "*:80", "http://a:1", "a:b", ""]) {
      expect(() => createAddressGuard({ exempt: [entry] }), entry).toThrow(/^"/);
    }
  });

  test("rejects a name with a non-public address before any connection", async () => {
    const resolve = async () => [address("1.1.1.1"), address("::ffff:7f00:1")];
    await using server = await serveRaw(() => {});
    const guard = createAddressGuard({ resolve });
    const upstream = createHttpUpstream({
      id: "s",
      url: `https://evil.example:${server.port}/`,
      guard,
    });
    await expect(upstream.send(toolCall("x"))).rejects.toMatchObject({
      code: "refused-address",
      sent: false,
    });
    expect(server.connections).toBe(0);
    await upstream.close();
  });

  test("doesn't connect to a name that resolves to a private address after the check", async () => {
    let lookups = 0;
    // The second answer is a server of this machine.
    const resolve = async () => (++lookups === 1 ? [address("192.0.1.1")] : [address("127.0.0.1")]);
    await using server = await serveRaw(({ response }) => response.end("secret"));
    const guard = createAddressGuard({ resolve, connectTimeout: 300 });
    const url = new URL(`https://rebind.example:${server.port}/`);
    guard.check(url);
    const upstream = createHttpUpstream({ id: "s", url, guard });
    // To the first it cannot connect, but that is where it tries: there is no second look-up in between.
    const first = await upstream
      .send(toolCall("x", {}, { deadline: 2000 }))
      .catch((error) => error);
    expect(first.code).toBe("unreachable");
    expect(lookups).toBe(1);
    const second = await upstream
      .send(toolCall("x", {}, { deadline: 2000 }))
      .catch((error) => error);
    expect(second.code).toBe("refused-address");
    expect(lookups).toBe(2);
    expect(server.connections).toBe(0);
    await upstream.close();
  });

  test("connects to the address that was checked", async () => {
    await using server = await serveRaw(({ response }) => sendJson(response, "{}"));
    const resolve = async () => [address("127.0.0.1")];
    const guard = createAddressGuard({ resolve, exempt: [`pinned.example:${server.port}`] });
    // No resolver of this machine knows the name.
    const pool = new Pool(`http://pinned.example:${server.port}`, { connect: guard.connect });
    const { statusCode, body } = await pool.request({ path: "/", method: "GET" });
    await body.dump();
    expect(statusCode).toBe(200);
    expect(server.requests[0]?.headers.host).toBe(`pinned.example:${server.port}`);
    await pool.destroy();
  });

  test("requires a trusted certificate for the name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "guard-"));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=good.example", "-addext", "subjectAltName=DNS:good.example"];
    const options = [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
    ];
    execFileSync("openssl", [...options, "-keyout", key, "-out", cert, ...subject], {
      stdio: "ignore",
    });
    const ca = readFileSync(cert, "utf8");
    const server = createServer({ key: readFileSync(key), cert: ca }, (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"jsonrpc":"2.0","id":"q","result":{}}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const resolve = async () => [address("127.0.0.1")];
    const send = async (host: string, trusted?: string) => {
      const exempt = [`${host}:${port}`];
      const guard = createAddressGuard({ resolve, exempt, ...(trusted && { ca: trusted }) });
      const upstream = createHttpUpstream({
        id: "s",
        url: `https://${host}:${port}/`,
        guard,
        era: "modern",
      });
      const outcome = await upstream.send(toolCall("x", {}, { id: "q" })).then(
        () => "answered",
        (error) => [error.code, error.sent],
      );
      await upstream.close();
      return outcome;
    };
    expect(await send("good.example", ca)).toBe("answered");
    expect(await send("good.example")).toEqual(["unreachable", false]);
    expect(await send("other.example", ca)).toEqual(["unreachable", false]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test("an exemption applies to one host and port only", async () => {
    await using server = await serveRaw(() => {});
    const resolve = async () => [address("127.0.0.1")];
    const guard = createAddressGuard({ resolve, exempt: [`a.example:${server.port + 1}`] });
    const pool = new Pool(`https://a.example:${server.port}`, { connect: guard.connect });
    await expect(pool.request({ path: "/", method: "GET" })).rejects.toMatchObject({
      code: "refused-address",
    });
    expect(server.connections).toBe(0);
    await pool.destroy();
  });
});
