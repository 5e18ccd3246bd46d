import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { splitCommand } from "../src/targets/command-words.ts";
import { goodModel, serveModel } from "./faulty-server.ts";

const program = fileURLToPath(new URL("../src/command.ts", import.meta.url));
const flags = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];

async function run(...args: string[]): Promise<{ code: number; text: string; complaint: string }> {
  const child = spawn(process.execPath, [...flags, program, ...args]);
  let text = "";
  let complaint = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const [code] = await once(child, "close");
  return { code, text, complaint };
}

describe("the command", { timeout: 60_000 }, () => {
  it("exits with 0 for a server without a broken MUST, and writes the three reports", async () => {
    await using server = await serveModel(goodModel());
    const folder = await mkdtemp(join(tmpdir(), "conformance-"));
    const files = ["report.json", "report.xml", "report.html"].map((name) => join(folder, name));
    const [json = "", junit = "", html = ""] = files;
    try {
      const outputs = ["--json", json, "--junit", junit, "--html", html];
      const { code, text } = await run("server", "--url", String(server.url), ...outputs);
      expect(code).toBe(0);
      expect(text).toContain("17 pass, 2 info, 1 not run");
      expect(JSON.parse(await readFile(json, "utf8")).outcomes).toHaveLength(20);
      expect(await readFile(junit, "utf8")).toContain('tests="20"');
      expect(await readFile(html, "utf8")).toMatch(/^<!doctype html>/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("exits with 1 for a broken MUST", async () => {
    const model = goodModel();
    model.result.content = [];
    await using server = await serveModel(model);
    const { code, text } = await run("server", "--url", String(server.url), "--rules", "SRV-13");
    expect(code).toBe(1);
    expect(text).toContain("1 fail");
  });

  it("exits with 2 and a message if nothing could run", async () => {
    const nobody = await run("server", "--url", "http://127.0.0.1:9/mcp");
    expect(nobody.code).toBe(2);
    expect(nobody.complaint).toContain("could not be reached");
    const role = await run("client");
    expect(role.code).toBe(2);
    expect(role.complaint).toContain('Unknown role "client"');
    const nowhere = await run("sandbox");
    expect(nowhere.code).toBe(2);
    expect(nowhere.complaint).toContain("--url");
  });
});

describe("a command line", () => {
  it("is split at spaces that aren't in quotes", () => {
    expect(splitCommand(`node "a b.mjs" --x 'c d' e`)).toEqual([
      "node",
      "a b.mjs",
      "--x",
      "c d",
      "e",
    ]);
  });
});
