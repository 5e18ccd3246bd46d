// The prompts need a terminal. Python's `pty` module provides one on every machine that runs the tests.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { VITRINE } from "./program.ts";

// A new terminal has no width, and every character would be on a separate line.
const IN_TERMINAL = `
import os, pty, sys
line = ["sh", "-c", 'stty cols 100 rows 40 && exec "$@"', "sh", *sys.argv[1:]]
sys.exit(os.waitstatus_to_exitcode(pty.spawn(line)))
`;
const DOWN = "\u001b[B";
const CTRL_C = "\u0003";

vi.setConfig({ testTimeout: 60_000 });

let folder: string;
let child: ChildProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-questions-"));
});
afterAll(async () => {
  child?.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Answers each question as soon as it stands there. */
async function converse(line: string[], answers: [question: string, keys: string][]) {
  const args = ["-c", IN_TERMINAL, process.execPath, ...VITRINE, "create", ...line];
  const stdio: ["pipe", "pipe", "inherit"] = ["pipe", "pipe", "inherit"];
  child = spawn("python3", args, { cwd: folder, stdio, timeout: 50_000 });
  let out = "";
  const left = [...answers];
  child.stdout?.on("data", (chunk) => {
    out += stripVTControlCharacters(String(chunk));
    const [next] = left;
    if (!next || !out.includes(next[0])) return;
    left.shift();
    child.stdin?.write(next[1]);
  });
  const [code] = await once(child, "close");
  return { code, out };
}

test("prompts for the missing folder and template", async () => {
  const { code, out } = await converse(
    ["--no-install"],
    [
      ["Which folder?", "weather\r"],
      ["Which kind of view?", `${DOWN}${DOWN}\r`],
    ],
  );
  expect(out).toContain("Created weather (vue)");
  expect(code).toBe(0);
  const project = JSON.parse(await readFile(join(folder, "weather/package.json"), "utf8"));
  expect(project.devDependencies).toHaveProperty("vue");
});

test("cancelling a prompt leaves no files", async () => {
  const { code, out } = await converse(
    ["given-up", "--no-install"],
    [["Which kind of view?", CTRL_C]],
  );
  expect(out).toContain("Nothing was written.");
  expect(code).toBe(2);
  expect(await readdir(folder)).not.toContain("given-up");
});
