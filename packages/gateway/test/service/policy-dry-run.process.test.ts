// Other policies tried on the calls of the audit log (O1).

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCommand } from "../../src/service/command-line.ts";
import { openServiceStage, type ServiceStage } from "./stage.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-dry-run-"));
  await mkdir(join(folder, "next"));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (text: string): Promise<void> => writeFile(join(folder, "next/all.cedar"), text);

/** Makes calls with a gateway that has no policies, then stops it. */
async function record(level: "digest" | "full"): Promise<ServiceStage> {
  const stage = await openServiceStage({
    engine: { driver: "sqlite", folder: join(folder, "data") },
    audit: { level },
  });
  for (const city of ["Graz", "Graz", "Linz"]) {
    const call = { name: "forecast", arguments: { city } };
    expect((await stage.post("tools/call", call)).body.result).toBeDefined();
  }
  await stage.service.close();
  return stage;
}

async function run(...argv: string[]): Promise<{ code: number | undefined; text: string }> {
  let text = "";
  const print = (more: string): void => {
    text += more;
  };
  const code = await runCommand(argv, {
    ...{ environment: {}, out: print, err: print, onStart: () => {} },
    signal: new AbortController().signal,
  });
  return { code, text };
}

const GRAZ = `@id("graz") permit(principal, action == Vitrine::Action::"call", resource)
  when { context.input has city && context.input.city == "Graz" };`;

it("counts the calls that would change, by policy, and keeps the log valid", async () => {
  await using stage = await record("full");
  const next = ["--config", stage.file, "--policies", join(folder, "next")];
  await write(GRAZ);
  const { code, text } = await run("policy", "dry-run", ...next);
  expect(code).toBe(1);
  expect(text).toContain("3 recorded calls were tried with the 1 policies in ");
  expect(text).toMatch(
    /\n +1 {2}allow → deny\nBy policy:\n +1 {2}allow → deny {2}No policy permits/,
  );
  expect(text).toMatch(
    /The calls:\n {2}\S+Z {2}dev\/developer {2}station\/forecast {2}allow → deny/,
  );
  await write(`permit(principal, action, resource);`);
  expect(await run("policy", "dry-run", ...next)).toMatchObject({ code: 0 });
  await write(
    `@approve("admin") permit(principal, action, resource) when { principal.name == "developer" };`,
  );
  expect((await run("policy", "dry-run", ...next)).text).toContain("3  allow → approve-admin");
  expect((await run("policy", "dry-run", ...next, "--until", "1h")).text).toMatch(
    /^0 recorded calls/,
  );
  expect((await run("audit", "verify", "--config", stage.file)).code).toBe(0);
});

it("reports the calls that can't be judged without their arguments", async () => {
  await using stage = await record("digest");
  const next = ["--config", stage.file, "--policies", join(folder, "next")];
  await write(GRAZ);
  const { code, text } = await run("policy", "dry-run", ...next);
  expect(code).toBe(0);
  expect(text).toContain("3 calls can't be judged: the policies read arguments");
  // Where the arguments can't matter, the call is judged.
  await write(
    `${GRAZ} forbid(principal, action, resource is Vitrine::Tool) when { resource.name == "forecast" };`,
  );
  expect((await run("policy", "dry-run", ...next)).text).toContain("3  allow → deny");
});
