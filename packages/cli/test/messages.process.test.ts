// The help of every command, and what people read after typical mistakes.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { COMMANDS, loadCommand } from "../src/commands.ts";
import { vitrine } from "./create/program.ts";

vi.setConfig({ testTimeout: 60_000 });

let cwd: string;
let project: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "vitrine-messages-"));
  project = await mkdtemp(join(tmpdir(), "vitrine-messages-"));
  await writeFile(
    join(project, "package.json"),
    JSON.stringify({ scripts: { dev: "node dev.ts" } }),
  );
  await writeFile(join(cwd, "server.mjs"), "");
});
afterAll(async () => {
  await rm(cwd, { recursive: true });
  await rm(project, { recursive: true });
});

describe("the help of each command", () => {
  const names = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];
  test.each(names)("%s", async (name) => {
    const { usage } = await loadCommand(name);
    expect(usage.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const [summary = "", form = ""] = usage.split("\n\n");
    expect(summary).toMatch(/^[A-Z].*\.$/s);
    expect(form).toMatch(new RegExp(`^Usage: vitrine ${name}\\b`));
    expect(usage).toMatch(/\n\n(?:Options|Commands|Roles):\n {2}\S/);
    const examples = usage.split("\n\nExamples:\n")[1]?.split("\n") ?? [];
    expect(examples.length).toBeGreaterThan(1);
    expect(examples.every((line) => line.startsWith(`  vitrine ${name}`))).toBe(true);
  });

  test("is printed by --help, and by help, but not for an option of the server", async () => {
    const { usage } = await loadCommand("login");
    expect((await vitrine(["login", "--help"], { cwd })).out).toBe(`${usage}\n`);
    expect((await vitrine(["help", "login"], { cwd })).out).toBe(`${usage}\n`);
    expect((await vitrine(["check", "--", "no-such-program", "--help"], { cwd })).code).toBe(2);
    const { out } = await vitrine(["--help"], { cwd });
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
    for (const name of Object.keys(COMMANDS)) expect(out).toContain(`  ${name} `);
  });
});

test.concurrent.each([
  [["dve"], 'Unknown command "dve". Did you mean "dev"? Run vitrine --help for all commands.'],
  [
    ["help", "chekc"],
    'Unknown command "chekc". Did you mean "check"? Run vitrine --help for all commands.',
  ],
  [["xyz"], 'Unknown command "xyz". Run vitrine --help for all commands.'],
  [["toString"], 'Unknown command "toString". Run vitrine --help for all commands.'],
  [
    ["dev", "--prot", "1", "server.mjs"],
    'Unknown option "--prot". Did you mean --port? Run vitrine dev --help for all options.',
  ],
  [
    ["check", "--jsn", "x", "server.mjs"],
    'Unknown option "--jsn". Did you mean --json? Run vitrine check --help for all options.',
  ],
  [
    ["dev"],
    "The server is missing. Pass a command, as in `vitrine dev node server.mjs`, or an address, as in `vitrine dev https://example.com/mcp`.",
  ],
  [
    ["check"],
    "The server is missing. Pass a command, as in `vitrine check node server.mjs`, or an address, as in `vitrine check https://example.com/mcp`.",
  ],
  [["dev", "servr.mjs"], "The file servr.mjs doesn't exist. Check its path."],
  [
    ["check", "--no-render", "node", "servr.mjs"],
    "The file servr.mjs doesn't exist. Check its path.",
  ],
  [["check", "--no-render", "--file", "view.html"], "view.html doesn't exist. Check the path."],
  [
    ["login"],
    "The server is missing. Pass its address, as in `vitrine login https://example.com/mcp`.",
  ],
  [
    ["login", "server.mjs"],
    '"server.mjs" isn\'t an address. Only servers at an address need a log-in, as in `vitrine login https://example.com/mcp`.',
  ],
  [
    ["dev", "--header", "X-Key: 1", "server.mjs"],
    "--header is for servers at an address. A program gets its keys from the environment.",
  ],
])("vitrine %j prints one sentence and exits with 2", async (line, message) => {
  const { code, out, err } = await vitrine(line, { cwd });
  expect(err.trimEnd()).toBe(message);
  expect(out).toBe("");
  expect(code).toBe(2);
});

test("in a project, dev without a server names the project's own script", async () => {
  const { err } = await vitrine(["dev"], { cwd: project });
  expect(err).toBe(
    'The server is missing. This folder is a project with a "dev" script: run `npm run dev`.\n',
  );
});
