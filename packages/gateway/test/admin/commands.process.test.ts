// The commands of the admin port, against a running gateway (O8).

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../src/service/command-line.ts";
import { serveRaw, tool } from "../raw-server.ts";
import { ADMIN_TOKEN, type AdminStage, openAdminStage } from "./stage.ts";

let raw: Awaited<ReturnType<typeof serveRaw>>;
let stage: AdminStage;
let tokenFile: string;
beforeAll(async () => {
  raw = await serveRaw([tool("look")]);
  stage = await openAdminStage({ servers: { raw: { url: raw.url.href, private: true } } });
  tokenFile = join(stage.folder, "token");
  await writeFile(tokenFile, `${ADMIN_TOKEN}\n`);
});
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await raw?.[Symbol.asyncDispose]();
});

async function run(...words: string[]): Promise<{ code: number | undefined; text: string }> {
  const argv = [...words, "--admin", `${stage.service.adminUrl}`, "--token-file", tokenFile];
  return runAlone(...argv);
}

async function runAlone(...argv: string[]): Promise<{ code: number | undefined; text: string }> {
  let text = "";
  const print = (more: string): void => {
    text += more;
  };
  const signal = new AbortController().signal;
  const context = { environment: {}, out: print, err: print, signal, onStart: () => {} };
  return { code: await runCommand(argv, context), text };
}

test("servers are listed as a table and as JSON, paused, checked and resumed", async () => {
  await expect
    .poll(async () => (await run("servers")).text)
    .toMatch(/^ID +KIND +STATE .*\nraw +http +up /);
  const { text } = await run("servers", "list", "--json");
  expect(JSON.parse(text)).toMatchObject({ id: "raw", tools: 1 });
  const paused = await run("servers", "pause", "raw", "--reason", "Upgrade.");
  expect(paused).toEqual({ code: 0, text: "raw is paused: its calls and views are refused.\n" });
  expect((await run("servers")).text).toContain("paused");
  expect((await run("servers", "resume", "raw")).text).toBe("raw is resumed.\n");
  expect((await run("servers", "check", "raw")).text).toBe("raw is up.\n");
});

test("a changed tool is listed and approved", async () => {
  raw.tools = [tool("look", { title: "Look\u001b[2J" }), tool("more")];
  await run("servers", "check", "raw");
  await expect.poll(async () => (await run("servers", "tools", "raw")).text).toContain("changed");
  // Text of a server can't control the terminal.
  expect((await run("servers", "tools", "raw")).text).not.toContain("\u001b");
  expect((await run("servers", "approve", "raw")).code).toBe(2);
  expect((await run("servers", "approve", "raw", "look")).text).toBe("Approved: look.\n");
  expect((await run("servers", "approve", "raw", "--all")).text).toBe("Approved: more.\n");
  expect((await run("servers", "approve", "raw", "--all")).text).toContain("No tool of raw waits");
});

test("a user is off-boarded and restored in one command each", async () => {
  await stage.post("tools/list", {}, { server: "raw" });
  await expect.poll(async () => (await run("users")).text).toContain("developer");
  expect((await run("users", "list", "velop")).text).toContain("developer");
  expect((await run("users", "nobody-like-this")).text).toBe("None.\n");
  const off = await run("users", "off-board", "dev/developer", "--reason", "Left.");
  expect(off.code).toBe(0);
  expect(off.text).toMatch(/^dev\/developer is blocked on every gateway\.\nViews closed +0\n/);
  expect((await stage.post("tools/list", {}, { server: "raw" })).status).toBe(403);
  expect((await run("users", "restore", "dev/developer")).text).toContain("may log in again");
  expect((await run("users", "off-board", "developer")).text).toContain("TENANT/NAME");
});

test("lists that are empty, and things that don't exist, are one sentence", async () => {
  for (const name of ["views", "calls", "grants", "approvals"]) {
    expect(await run(name)).toEqual({ code: 0, text: "None.\n" });
  }
  const missing: [string[], string][] = [
    [["views", "end", "x"], "The admin port refused: This view isn't connected."],
    [["calls", "cancel", "x"], "The admin port refused: This call isn't running any more."],
    [["approvals", "approve", "x"], "The admin port refused: This call doesn't wait"],
    [["servers", "pause", "../users"], 'The admin port refused: There is no server "../users".'],
  ];
  for (const [words, text] of missing) {
    expect(await run(...words)).toEqual({ code: 2, text: expect.stringContaining(text) });
  }
});

test("the address and the token come from the configuration, and are never sent unencrypted", async () => {
  const port = new URL(`${stage.service.adminUrl}`).port;
  const file = join(stage.folder, "client.yaml");
  await writeFile(
    file,
    `admin: { port: ${port}, token: ${ADMIN_TOKEN} }\nservers: { raw: { url: https://raw.example } }\n`,
  );
  expect((await runAlone("servers", "--config", file)).text).toContain("raw");
  const far = await runAlone(
    "servers",
    "--admin",
    "http://gateway.example",
    "--token-file",
    tokenFile,
  );
  expect(far).toEqual({ code: 2, text: expect.stringContaining("isn't encrypted") });
  const without = await runAlone("servers", "--admin", `${stage.service.adminUrl}`);
  expect(without.text).toContain("The admin token is missing.");
  const closed = await runAlone(
    ...["servers", "--admin", "http://127.0.0.1:9", "--token-file", tokenFile],
  );
  expect(closed.text).toContain("doesn't answer");
});
