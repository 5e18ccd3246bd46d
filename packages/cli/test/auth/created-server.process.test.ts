// The HTTP server of created projects, behind a real authorization server that issues JWTs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { defineApp } from "@vitrine/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { openLoginFile } from "../../src/auth/login-file.ts";
import { openLoopbackCallback } from "../../src/auth/loopback-callback.ts";
import { createServerLogins } from "../../src/auth/server-logins.ts";
import { connectServer } from "../../src/target/server-connection.ts";
import { listen, logInAsUser, portOf, startAuthorizationServer } from "./locked-server.ts";

// By its address: the compiler checks templates with the settings of created projects.
const { serveHttp } = (await import(
  new URL("../../templates/project/server/http.ts", import.meta.url).href
)) as { serveHttp(createServer: () => McpServer, port: number): void };

const who = defineApp({
  name: "who",
  view: "<!doctype html><p>Who</p>",
  prefersBorder: false,
  tool: { handler: (_, { auth }) => ({ text: `You are ${auth?.subject}.` }) },
});
const createServer = () => who.register(new McpServer({ name: "who", version: "1.0.0" }));

test("takes tokens of its issuer, and its handlers get the user", async () => {
  const free = await listen();
  const port = portOf(free);
  await new Promise((resolve) => free.close(resolve));
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const issuer = await startAuthorizationServer(url.href, "jwt");
  onTestFinished(() => issuer.close());
  const print = vi.spyOn(console, "log").mockImplementation(() => {});
  process.env.PUBLIC_URL = url.href;
  process.env.AUTH_ISSUER = issuer.issuer;
  serveHttp(createServer, port);
  await vi.waitFor(() => expect(print).toHaveBeenCalledWith(url.href));

  const folder = mkdtempSync(join(tmpdir(), "vitrine-created-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = openLoginFile(join(folder, "logins.json"));
  const callback = await openLoopbackCallback((parameters) =>
    logins.finish(parameters).then(() => "done", String),
  );
  onTestFinished(() => callback.close());
  const logins = createServerLogins({ file, redirectUrl: () => callback.address });
  await expect(connectServer({ kind: "url", url }, { logins })).rejects.toMatchObject({
    code: "login-needed",
  });
  expect(await logInAsUser(await logins.begin(url))).toBe("done");
  expect(logins.state(url).steps.flatMap(({ problems }) => problems)).toEqual([]);

  const { client, close } = await connectServer({ kind: "url", url }, { logins });
  onTestFinished(close);
  const { content } = await client.callTool({ name: "who" });
  expect(content).toEqual([{ type: "text", text: "You are ann." }]);

  const headers = { authorization: "Bearer x" };
  expect((await fetch(url, { method: "POST", headers })).status).toBe(401);
});

test("doesn't start with half of the settings", () => {
  delete process.env.AUTH_ISSUER;
  process.env.PUBLIC_URL = "https://example.com/mcp";
  expect(() => serveHttp(createServer, 0)).toThrow(/both PUBLIC_URL and AUTH_ISSUER/);
});
