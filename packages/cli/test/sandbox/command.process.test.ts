import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { vitrine } from "../create/program.ts";
import { type Deployed, deploy, KEY } from "./broken-proxy.ts";

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let sound: Deployed;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-sandbox-"));
  await writeFile(join(folder, "sandbox.key"), `${KEY}\n`);
  sound = await deploy({ instances: [{ registration: "credential" }] });
});
afterAll(async () => {
  sound.close();
  await rm(folder, { recursive: true });
});

const verify = (...line: string[]) => vitrine(["sandbox", "verify", ...line], { cwd: folder });

test("exits with 0 for a sound deployment, and writes the report", async () => {
  const address = `http://localhost:${sound.port}`;
  const line = [
    "--host",
    "http://app.localhost:1",
    "--key",
    "sandbox.key",
    "--json",
    "report.json",
  ];
  const { code, out } = await verify(address, ...line);
  expect(out).toContain(
    `Healthy: http://proxy.localhost:${sound.port} works for http://app.localhost:1. Views can be registered and opened.`,
  );
  expect(code).toBe(0);
  const report = JSON.parse(await readFile(join(folder, "report.json"), "utf8"));
  expect(report).toMatchObject({ views: 6, problems: [] });
});

test("exits with 1 for problems, each with its remedy", async () => {
  const { code, out } = await verify(
    `http://localhost:${sound.port}`,
    "--host",
    "http://new.localhost:1",
  );
  expect(code).toBe(1);
  expect(out).toContain("Broken:");
  expect(out).toContain("(host-not-allowed)");
  expect(out).toContain('→ Add "http://new.localhost:1" to hosts');
});

test.each([
  [[], /Name one sandbox/],
  [["nonsense"], /isn't the address of a sandbox/],
  [["https://a.example", "https://b.example"], /Name one sandbox/],
  [["https://a.example", "--host", "chat.example"], /--host: .*isn't an origin/],
  [["https://a.example", "--host", "https://*.chat.example"], /without a wildcard/],
  [["https://a.example", "--host", "null"], /--host: .*isn't an origin/],
  [["https://a.example", "--key", "missing.key"], /can't be read/],
  [["https://a.example", "--connections", "0"], /--connections is "0"/],
  [["https://a.example", "--unknown"], /--unknown/],
])("exits with 2 for %j", async (line, words) => {
  const { code, err } = await verify(...line);
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(words) });
});
