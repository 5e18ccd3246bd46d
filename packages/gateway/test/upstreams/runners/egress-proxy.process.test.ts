import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type EgressProxy,
  isListed,
  openEgressProxy,
} from "../../../src/upstreams/stdio/runners/egress-proxy.ts";

describe("the proxy of isolated servers", () => {
  const asked: string[] = [];
  let folder: string;
  let proxy: EgressProxy;
  const service = createServer((_, response) => response.end("the service"));
  let port: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-egress-"));
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    port = (service.address() as AddressInfo).port;
    proxy = await openEgressProxy(join(folder, "proxy.sock"), {
      network: [`rebinding.example:${port}`, `mixed.example:${port}`, "*.wild.example:443"],
      privateNetwork: [`intranet.example:${port}`],
      resolve: async (name) => {
        asked.push(name);
        const inside = { address: "127.0.0.1", family: 4 };
        return name.startsWith("mixed")
          ? [{ address: "93.184.215.14", family: 4 }, inside]
          : [inside];
      },
    });
  });
  afterAll(async () => {
    await proxy.close();
    service.close();
    await rm(folder, { recursive: true });
  });

  /** Sends a line to the proxy and returns what it answers. */
  const say = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(join(folder, "proxy.sock"));
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk;
        if (answer.includes("the service")) socket.destroy();
      });
      socket.on("close", () => resolve(answer)).on("error", reject);
      socket.write(text);
    });
  const tunnel = (target: string): Promise<string> =>
    say(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\nGET / HTTP/1.0\r\n\r\n`);

  test("connects to a private host that is listed as private", async () => {
    const answer = await tunnel(`intranet.example:${port}`);
    expect(answer).toContain("200 Connection established");
    expect(answer).toContain("the service");
  });

  test("forwards plain http to it", async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const path = `http://intranet.example:${port}/`;
      request({ socketPath: join(folder, "proxy.sock"), path }, (answer) => {
        answer.setEncoding("utf8").on("data", resolve);
      })
        .on("error", reject)
        .end();
    });
    expect(text).toBe("the service");
  });

  test("rejects a listed name that leads into a private network", async () => {
    for (const name of ["rebinding", "mixed"]) {
      const answer = await tunnel(`${name}.example:${port}`);
      expect(answer).toContain("403");
      expect(answer).toContain("isn't on the public internet");
    }
  });

  test("rejects every other host without resolving its name", async () => {
    asked.length = 0;
    for (const target of [
      `secret-data.attacker.example:${port}`,
      "intranet.example:22",
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      "169.254.169.254:80",
      "2130706433:80",
    ]) {
      expect(await tunnel(target)).toContain("403");
    }
    expect(await say("GET http://169.254.169.254/latest HTTP/1.1\r\nhost: x\r\n\r\n")).toContain(
      "403",
    );
    expect(await say("GET /latest HTTP/1.1\r\nhost: 169.254.169.254\r\n\r\n")).toContain("403");
    expect(asked).toEqual([]);
  });

  test("matches whole names and ports only", () => {
    const list = ["api.example:443", "*.wild.example:443", "[2001:db8::1]:443"];
    const is = (host: string, at = 443): boolean => isListed(list, { host, port: at });
    expect([is("api.example"), is("a.wild.example"), is("2001:db8::1")]).toEqual([
      true,
      true,
      true,
    ]);
    expect([is("xapi.example"), is("api.example.evil"), is("api.example", 80)]).toEqual([
      false,
      false,
      false,
    ]);
    expect([is("wild.example"), is("evilwild.example")]).toEqual([false, false]);
  });
});
