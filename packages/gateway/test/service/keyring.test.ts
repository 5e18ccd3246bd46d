import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { GatewayConfig } from "../../src/config/config.ts";
import { runCommand } from "../../src/service/command-line.ts";
import { createKeyFiles, KEY_NAMES } from "../../src/service/key-files.ts";
import { openKeyring } from "../../src/service/keyring.ts";

describe("the keyring", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-keys-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (keys = folder) =>
    openKeyring({ engine: { driver: "nats" }, keys: { folder: keys } } as GatewayConfig);
  const fileOf = (name: string): string => join(folder, `${name}.key`);

  test("is the same for every gateway with one folder, and different with another", async () => {
    await createKeyFiles(folder);
    await createKeyFiles(join(folder, "other"));
    const [one, two, other] = [await open(), await open(), await open(join(folder, "other"))];
    expect(two).toEqual(one);
    for (const name of [
      "tickets",
      "credentials",
      "store",
      "audit",
      "cluster",
      "sandbox",
    ] as const) {
      expect(other[name]).not.toEqual(one[name]);
    }
  });

  test("S19: has roots that don't derive from each other", async () => {
    await createKeyFiles(folder);
    const before = await open();
    await rm(fileOf("ticket"));
    await createKeyFiles(folder);
    const { tickets, ...others } = await open();
    expect(tickets).not.toEqual(before.tickets);
    expect(others).toEqual({ ...before, tickets: undefined });
    const files = await Promise.all(KEY_NAMES.map((name) => readFile(fileOf(name), "utf8")));
    expect(new Set(files).size).toBe(KEY_NAMES.length);
  });

  test("uses the first line of a file that is rotated and accepts the others", async () => {
    await createKeyFiles(folder);
    const [former] = (await open()).tickets;
    await writeFile(
      fileOf("ticket"),
      `${"n".repeat(40)}\n${await readFile(fileOf("ticket"), "utf8")}`,
    );
    const { tickets } = await open();
    expect(tickets).toHaveLength(2);
    expect(tickets[0]?.id).not.toBe(former?.id);
    expect(tickets[1]).toEqual(former);
  });

  test("S19: rejects a key file that another user can read", async () => {
    await createKeyFiles(folder);
    expect((await stat(fileOf("audit"))).mode & 0o777).toBe(0o600);
    await chmod(fileOf("audit"), 0o644);
    await expect(open()).rejects.toThrow("chmod 600");
  });

  test.for([
    ["a missing file", () => rm(fileOf("store")), "keys create"],
    ["a short key", () => writeFile(fileOf("store"), "short"), "fewer than 32 characters"],
    ["an empty file", () => writeFile(fileOf("store"), ""), "is empty"],
    [
      "several sandbox keys",
      () => writeFile(fileOf("sandbox"), `${"a".repeat(40)}\n${"b".repeat(40)}`),
      "single line",
    ],
    [
      "one secret as two keys",
      async () => writeFile(fileOf("audit"), await readFile(fileOf("ticket"))),
      "repeats a key of ticket.key",
    ],
  ] as const)("rejects %s", async ([, damage, words]) => {
    await createKeyFiles(folder);
    await damage();
    await expect(open()).rejects.toThrow(words);
  });

  test("doesn't start on keys of the version that had one root", async () => {
    await writeFile(join(folder, "keys.json"), "{}");
    const config = { engine: { driver: "sqlite", folder }, keys: {} } as GatewayConfig;
    await expect(openKeyring(config)).rejects.toThrow("Move this file away");
  });

  test("is created by a command, which leaves existing keys alone", async () => {
    let said = "";
    const run = () =>
      runCommand(["keys", "create", join(folder, "new")], {
        environment: {},
        out: (text) => {
          said += text;
        },
        err: () => {},
        signal: new AbortController().signal,
        onStart: () => {},
      });
    expect(await run()).toBe(0);
    expect(said.split("\n").filter((line) => line.startsWith("Created"))).toHaveLength(
      KEY_NAMES.length,
    );
    const before = await open(join(folder, "new"));
    said = "";
    expect(await run()).toBe(0);
    expect(said).toContain("already has every key");
    expect(await open(join(folder, "new"))).toEqual(before);
  });
});
