// The configuration or the command line sets the roles of a process.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { loadConfig } from "../../gateway/src/config/load.ts";
import { runCommand } from "../../gateway/src/service/command-line.ts";

const NATS = { driver: "nats", servers: ["nats://127.0.0.1:1"] };

async function fileOf(config: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-roles-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "gateway.yaml");
  await writeFile(file, stringify({ servers: {}, ...config }));
  return file;
}

async function check(file: string, ...words: string[]): Promise<{ code?: number; said: string }> {
  let said = "";
  const print = (text: string): void => {
    said += text;
  };
  const code = await runCommand(["check", "--config", file, ...words], {
    ...{ environment: {}, out: print, err: print, onStart: () => {} },
    signal: new AbortController().signal,
  });
  return { said, ...(code !== undefined && { code }) };
}

test("a process has all roles by default", async () => {
  const { config } = await loadConfig(await fileOf({}), {});
  expect(config.cluster.roles).toEqual(["edge", "runner", "archiver"]);
});

test("the file, a variable or a flag sets its roles", async () => {
  const file = await fileOf({
    keys: { folder: "keys" },
    engine: NATS,
    cluster: { roles: ["runner"] },
  });
  expect((await loadConfig(file, {})).config.cluster.roles).toEqual(["runner"]);
  const environment = { VITRINE_CLUSTER_ROLES: "edge, archiver" };
  expect((await loadConfig(file, environment)).config.cluster.roles).toEqual(["edge", "archiver"]);
  expect(await check(file, "--roles", "edge")).toMatchObject({ code: 0 });
});

test("rejects an unknown role, and lists the known ones", async () => {
  const file = await fileOf({ keys: { folder: "keys" }, engine: NATS });
  const { code, said } = await check(file, "--roles", "edge,king");
  expect(code).toBe(2);
  expect(said).toContain(`cluster.roles[1]: "king" isn't one of edge, runner, archiver.`);
});

test("a process with a local engine can't leave a role to others", async () => {
  const { code, said } = await check(await fileOf({}), "--roles", "edge");
  expect(code).toBe(2);
  expect(said).toContain("one process does everything");
});
