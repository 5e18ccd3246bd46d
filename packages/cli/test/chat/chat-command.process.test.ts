// `vitrine chat` as a program.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const NODE = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source", MAIN];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-chat-command-"));
  await writeFile(join(folder, "script.json"), '{"turns":[{"reply":[{"text":"Hello"}]}]}');
  await writeFile(join(folder, "broken.json"), "{");
  await writeFile(join(folder, "mcp.json"), '{"mcpServers":{"one":{"command":"no-such-program"}}}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the command until it exits. */
function run(...line: string[]): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...NODE, "chat", ...line], { cwd: folder }, (error, _, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stderr }),
    );
  });
}

describe("vitrine chat", () => {
  it.each([
    [[], /The model is missing/],
    [["--model", "gpt"], /isn't known/],
    [["--model", "script:none.json"], /none\.json/],
    [["--model", "script:script.json", "--servers", "none.json"], /none\.json can't be read/],
    [["--model", "script:script.json", "--servers", "broken.json"], /isn't valid JSON/],
    [["--model", "script:script.json", "--port", "x"], /--port is "x"/],
    [["--model", "http://127.0.0.1:9/v1"], /didn't list its models/],
  ])("explains %j and exits with 2", async (line, words) => {
    const { code, stderr } = await run(...line);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain("    at ");
    expect(code).toBe(2);
  });

  it("serves its page although a server doesn't start, and ends on a signal", async () => {
    const line = [
      "--model",
      "script:script.json",
      "--servers",
      "mcp.json",
      "--data",
      "data",
      "--port",
      "0",
    ];
    const program = spawn(process.execPath, [...NODE, "chat", ...line], { cwd: folder });
    let said = "";
    program.stdout.on("data", (chunk) => {
      said += chunk;
    });
    await expect.poll(() => said, { timeout: 30_000 }).toContain("vitrine.localhost");
    expect(said).toContain("scripted");
    const url = new URL(/http:\/\/vitrine\.localhost\S+/.exec(said)?.[0] ?? "");
    const page = await fetch(`http://127.0.0.1:${url.port}/`);
    expect(await page.text()).toContain("Vitrine chat");
    program.kill("SIGTERM");
    const [code] = await once(program, "exit");
    expect(code).toBe(0);
  });
});
