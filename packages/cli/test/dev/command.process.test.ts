import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 30_000 });

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const PLAIN = fileURLToPath(new URL("../e2e/dev-fixtures/plain.mjs", import.meta.url));
const FLAGS = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-command-"));
  const text = `import { appendFileSync } from "node:fs";
appendFileSync(${JSON.stringify(join(folder, "pids"))}, process.pid + "\\n");
await import(${JSON.stringify(pathToFileURL(PLAIN).href)});`;
  await writeFile(join(folder, "server.mjs"), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs `vitrine dev`; `until` ends the wait, and the program is asked to stop. */
async function dev(
  words: string[],
  until?: RegExp,
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [...FLAGS, MAIN, "dev", ...words], {
    env: { ...process.env, NO_COLOR: "1" },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      const before = said;
      said += chunk;
      if (until?.test(said) && !until.test(before)) child.kill("SIGINT");
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, said };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("vitrine dev", () => {
  test("prints server and address, and Ctrl+C leaves no process behind", async () => {
    const { code, said } = await dev(
      ["--no-watch", "--port", "0", join(folder, "server.mjs")],
      /Press Ctrl\+C to stop/,
    );
    expect(said).toMatch(/Server\s+plain 1\.0\.0 · MCP 2026-07-28/);
    expect(said).toMatch(/Page\s+http:\/\/vitrine\.localhost:\d+\/#key=\S{43}&sandbox=/);
    expect(code).toBe(0);
    const pids = (await readFile(join(folder, "pids"), "utf8")).trim().split("\n").map(Number);
    expect(pids.length).toBeGreaterThan(0);
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  });

  test.each([
    [[], "The server is missing"],
    [["--check", "server.mjs"], "--replay <file>"],
    [["--port", "many", "server.mjs"], '--port is "many"'],
    [["--replay", "missing.json"], "missing.json can't be replayed"],
    [["--wings", "server.mjs"], "--wings"],
    [["no-such-program-of-ours"], '"no-such-program-of-ours" doesn'],
  ])("with %j prints what is wrong and exits with 2", async (words, part) => {
    const { code, said } = await dev(words as string[]);
    expect(said).toContain(part);
    expect(code).toBe(2);
  });

  test("reports a port that is in use, and leaves no process behind", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    await writeFile(join(folder, "pids"), "");
    const { code, said } = await dev([
      "--no-watch",
      "--port",
      String(port),
      join(folder, "server.mjs"),
    ]);
    other.close();
    expect(said).toContain(`Port ${port} can't be used`);
    expect(code).toBe(2);
    const pids = (await readFile(join(folder, "pids"), "utf8")).trim().split("\n").map(Number);
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  });
});
