// The archive as an operator meets it: a configuration, commands, a folder that will not do.

import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand } from "../../src/service/command-line.ts";
import { openServiceStage, type ServiceStage } from "./stage.ts";

let folder: string;
let stage: ServiceStage | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-archiving-"));
});
afterEach(async () => {
  await stage?.[Symbol.asyncDispose]();
  stage = undefined;
  await rm(folder, { recursive: true, force: true });
});

const settings = {
  engine: { driver: "sqlite", folder: "data" },
  audit: { archive: { folder: "archive" } },
};

async function run(...words: string[]): Promise<{ code: number | undefined; said: string }> {
  let said = "";
  const print = (text: string): void => {
    said += text;
  };
  const signal = AbortSignal.timeout(20_000);
  const code = await runCommand(words, {
    ...{ environment: {}, out: print, err: print, signal, onStart: () => {} },
  });
  return { code, said: said.replaceAll(`${folder}/`, "") };
}

/** A gateway that was called and has ended. */
async function use(more: object = {}): Promise<void> {
  stage = await openServiceStage({ ...settings, ...more }, { folder });
  await stage.post("tools/call", { name: "forecast", arguments: { city: "Graz" } });
  await stage.post("tools/call", { name: "nothing" });
  await stage[Symbol.asyncDispose]();
}

test("a gateway writes its archive up to the last step of its run", async () => {
  await use();
  const [config, archive] = [join(folder, "gateway.yaml"), join(folder, "archive")];
  const stored = await run("audit", "verify", "--config", config);
  const archived = await run("audit", "verify", "--archive", archive, "--config", config);
  expect(archived).toEqual({ code: 0, said: stored.said });
  expect(archived.said).not.toContain("missing");
  // By the key in the engine's folder too.
  const data = join(folder, "data");
  expect(await run("audit", "verify", "--archive", archive, "--folder", data)).toEqual(archived);
});

test("tail and export read an archive without a configuration", async () => {
  await use();
  const archive = join(folder, "archive");
  const tail = await run("audit", "tail", "--archive", archive, "--denied");
  expect(tail.said).toMatch(/ deny +visibility: unknown-tool .* nothing\n$/);
  const all = await run("audit", "export", "--archive", archive, "--tool", "forecast");
  const events = all.said
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).event);
  expect(events).toEqual(["request", "answer"]);
});

test("verifying needs the key, and the message names its location", async () => {
  await use();
  const { code, said } = await run("audit", "verify", "--archive", join(folder, "archive"));
  expect(code).toBe(2);
  expect(said).toContain("Pass --config gateway.yaml");
});

test("names a removed or changed segment, with exit code 1", async () => {
  await use();
  await use();
  await use();
  const archive = join(folder, "archive");
  const segments = (await readdir(archive)).filter((name) => name.endsWith(".gz")).sort();
  await rm(join(archive, `${segments[1]}`));
  const words = ["audit", "verify", "--archive", archive, "--folder", join(folder, "data")];
  const { code, said } = await run(...words);
  expect(code).toBe(1);
  expect(said).toMatch(
    new RegExp(`WRONG +${segments[1]} \\(positions \\d+ to \\d+, \\d+ records\\) is in the index`),
  );
  expect(said).toMatch(/WRONG +Run \d+ of ".*" lacks/);
  expect(said).toContain("The log was MODIFIED or damaged.");
});

test.each([
  ["a folder that is none", async (path: string) => writeFile(path, "x"), "can't be written"],
  [
    "a folder with something else in it",
    async (path: string) => {
      await mkdir(path);
      await writeFile(join(path, "letters.txt"), "dear");
    },
    "isn't an archive and not empty (letters.txt)",
  ],
])("%s stops the start, with its name and what to do", async (_, prepare, words) => {
  await prepare(join(folder, "archive"));
  const starting = openServiceStage(settings, { folder });
  await expect(starting).rejects.toThrow(`audit.archive.folder: ${join(folder, "archive")}`);
  await expect(openServiceStage(settings, { folder })).rejects.toThrow(words);
});

test.each([
  [["--archive", "data"], "isn't an archive. Pass the folder in audit.archive.folder"],
  [["--archive", "nowhere"], "isn't an archive"],
])("%j is one sentence without a stack", async (words, expected) => {
  await mkdir(join(folder, "data"));
  const [option = "", path = ""] = words;
  const { code, said } = await run("audit", "tail", option, join(folder, path));
  expect([code, said]).toEqual([2, expect.stringContaining(expected)]);
  expect(said).not.toMatch(/\n\s+at /);
});

test("the process that writes an archive has its metrics", async () => {
  stage = await openServiceStage(settings, { folder });
  const text = await (await fetch(`${stage.service.operatorUrl}/metrics`)).text();
  expect(text).toContain("vitrine_archive_writing 1");
  expect(text).toContain("vitrine_archive_failing 0");
  expect(text).toMatch(/vitrine_archive_lag_seconds \d/);
  expect(text).not.toContain("vitrine_cluster_");
});
