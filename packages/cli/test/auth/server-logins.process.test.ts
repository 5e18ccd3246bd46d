// Log-ins with a real authorization server, without a browser.

import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { type LoginFile, openLoginFile } from "../../src/auth/login-file.ts";
import { openLoopbackCallback } from "../../src/auth/loopback-callback.ts";
import { createServerLogins, type ServerLogins } from "../../src/auth/server-logins.ts";
import { connectServer, type ServerConnection } from "../../src/target/server-connection.ts";
import { type LockedServer, logInAsUser, startLockedServer } from "./locked-server.ts";

let vault: LockedServer;
let folder: string;
let file: LoginFile;
beforeAll(async () => {
  vault = await startLockedServer();
});
afterAll(() => vault.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-logins-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = openLoginFile(join(folder, "config", "logins.json"));
  vault.requests.length = 0;
});

async function logIn(): Promise<ServerLogins> {
  const callback = await openLoopbackCallback(async (parameters) => {
    return logins.finish(parameters).then(() => "done", String);
  });
  onTestFinished(() => callback.close());
  const logins = createServerLogins({ file, redirectUrl: () => callback.address });
  expect(await logInAsUser(await logins.begin(new URL(vault.url)))).toBe("done");
  return logins;
}

async function connect(logins = createServerLogins({ file })): Promise<ServerConnection> {
  const connection = await connectServer({ kind: "url", url: new URL(vault.url) }, { logins });
  onTestFinished(() => connection.close());
  return connection;
}

test("logs in, stores the tokens for the user alone, and other commands use them", async () => {
  const logins = await logIn();
  expect(logins.state(new URL(vault.url))).toMatchObject({ isNeeded: false, isLoggedIn: true });
  expect((statSync(file.path).mode & 0o777).toString(8)).toBe("600");
  expect((statSync(join(folder, "config")).mode & 0o777).toString(8)).toBe("700");
  expect(file.list()).toMatchObject([{ resource: vault.url, issuer: vault.issuer }]);

  const { client } = await connect();
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("read_secret");
});

test("shows each step of the log-in, and none contains a secret", async () => {
  const logins = await logIn();
  const { steps } = logins.state(new URL(vault.url));
  expect(steps.map(({ kind, status }) => `${kind} ${status ?? ""}`.trim())).toEqual([
    "challenge 401",
    "resource-metadata 200",
    "issuer-metadata 200",
    "registration 201",
    "authorization",
    "callback",
    "token 200",
  ]);
  expect(steps.flatMap(({ problems }) => problems)).toEqual([]);
  const { tokens } = file.find(vault.url) ?? {};
  const shown = JSON.stringify(steps);
  expect(shown).not.toContain(tokens?.access_token);
  expect(shown).not.toContain(tokens?.refresh_token);
  expect(shown).toContain("received");
});

test("without a log-in names the command, and neither registers a client nor opens a page", async () => {
  await expect(connect()).rejects.toMatchObject({
    code: "login-needed",
    message: `${vault.url} wants you to log in. Run \`vitrine login ${vault.url}\`, then try again.`,
  });
  expect(vault.requests).toEqual([]);
});

test("refreshes an expired token once, though several requests were rejected", async () => {
  await logIn();
  const before = file.find(vault.url)?.tokens?.access_token;
  const { client } = await connect();
  await client.listTools();
  vault.requests.length = 0;
  vault.expireTokens();
  await Promise.all([client.listTools(), client.listTools(), client.ping()]);
  expect(vault.requests.filter((request) => request === "POST /token")).toHaveLength(1);
  expect(file.find(vault.url)?.tokens?.access_token).not.toBe(before);
});

test("asks for one more scope when a tool needs it, and keeps the others", async () => {
  const logins = await logIn();
  const { client } = await connect(logins);
  await expect(client.callTool({ name: "open_safe" })).rejects.toThrow();
  expect(logins.state(new URL(vault.url))).toMatchObject({ isNeeded: true, scope: "safe" });
  const address = await logins.begin(new URL(vault.url));
  expect(new URL(address).searchParams.get("scope")?.split(" ").sort()).toEqual(
    expect.arrayContaining(["mcp", "safe"]),
  );
  expect(await logInAsUser(address)).toBe("done");
  const { content } = await client.callTool({ name: "open_safe" });
  expect(content).toEqual([{ type: "text", text: "The safe is open." }]);
});

test("refuses a file that other users can read", async () => {
  await logIn();
  chmodSync(file.path, 0o644);
  expect(() => file.list()).toThrow(/other users can access it\. Run `chmod 600 /);
  await expect(connect()).rejects.toThrow(/chmod 600/);
  chmodSync(file.path, 0o600);
  chmodSync(join(folder, "config"), 0o777);
  expect(() => file.list()).toThrow(/chmod 700/);
});

test("reads a damaged file as one without log-ins", async () => {
  await logIn();
  const text = readFileSync(file.path, "utf8");
  expect(JSON.parse(text).logins).toHaveLength(1);
  file.save({ resource: "https://other.example/mcp", issuer: "https://issuer.example" });
  expect(file.list()).toHaveLength(2);
  expect(file.remove(vault.url)).toBe(1);
  expect(file.list()).toHaveLength(1);
});

test("uses each redirect once, and only with the state that it was given", async () => {
  const logins = createServerLogins({ file, redirectUrl: () => "http://127.0.0.1:9/callback" });
  const address = await logins.begin(new URL(vault.url));
  const state = String(new URL(address).searchParams.get("state"));
  const finish = (parameters: Record<string, string>) =>
    logins.finish(new URLSearchParams(parameters));
  await expect(finish({ code: "c", state: `${state}x` })).rejects.toThrow(/isn't known/);
  await expect(finish({ code: "c", state, iss: "https://evil.example" })).rejects.toThrow(
    /the response is from https:\/\/evil\.example\. The code wasn't used/,
  );
  await expect(finish({ code: "c", state, iss: vault.issuer })).rejects.toThrow(/isn't known/);
  expect(vault.requests).not.toContain("POST /token");
});
