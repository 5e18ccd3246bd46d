// Questions need a terminal: python's `pty` is the one that every machine of ours has.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { VITRINE } from "./program.ts";

// A new one has no width, and every letter would get a line of its own.
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

test("what is missing is asked for: the folder by name, the template by arrows", async () => {
  const { code, out } = await converse(
    ["--no-install"],
    [
      ["In which folder?", "weather\r"],
      ["Which View?", `${DOWN}${DOWN}\r`],
    ],
  );
  expect(out).toContain("Wrote weather (vue)");
  expect(code).toBe(0);
  const project = JSON.parse(await readFile(join(folder, "weather/package.json"), "utf8"));
  expect(project.devDependencies).toHaveProperty("vue");
});

test("who gives up at a question leaves nothing behind", async () => {
  const { code, out } = await converse(["given-up", "--no-install"], [["Which View?", CTRL_C]]);
  expect(out).toContain("Nothing was written.");
  expect(code).toBe(2);
  expect(await readdir(folder)).not.toContain("given-up");
});
