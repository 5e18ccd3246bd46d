import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Role } from "../../src/config/config.ts";
import { healthCommand } from "../../src/service/health-command.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that responds with its status and path. */
async function serve(status: number): Promise<number> {
  const server = createServer(({ url }, response) => {
    response.writeHead(status).end(`${status} ${url}\n`);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

interface Ports {
  listen?: number;
  operator?: number;
  roles?: Role[];
  host?: string;
  ready?: boolean;
}

async function check({ listen = 0, operator, roles, host = "127.0.0.1", ready = false }: Ports) {
  let out = "";
  let err = "";
  const config = {
    listen: { host, port: listen, hosts: [], trustedProxies: [] },
    cluster: { roles: roles ?? ["edge", "runner"] },
    ...(operator !== undefined && { operator: { host, port: operator } }),
  };
  const isHealthy = await healthCommand(config, {
    ready,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { isHealthy, out, err };
}

test("asks the configured port, also when it listens on every address", async () => {
  const listen = await serve(200);
  const expected = { isHealthy: true, out: "200 /healthz\n", err: "" };
  expect(await check({ listen })).toEqual(expected);
  expect(await check({ listen, host: "0.0.0.0" })).toEqual(expected);
});

test("fails and prints the reasons when the gateway isn't ready", async () => {
  const listen = await serve(503);
  const expected = { isHealthy: false, out: "", err: "503 /readyz\n" };
  expect(await check({ listen, ready: true })).toEqual(expected);
});

test("asks the operator port of a process that doesn't accept browsers", async () => {
  const operator = await serve(200);
  expect(await check({ operator, roles: ["archiver"] })).toMatchObject({ isHealthy: true });
  await expect(check({ roles: ["runner"] })).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("operator.port"),
  });
});
