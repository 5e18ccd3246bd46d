import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openSqliteEngine } from "@vitrine/gateway/engine";
import { describe, expect, test } from "vitest";
import { createAudit, HEADS_BUCKET, verifyAudit } from "../../src/audit/index.ts";
import { loadConfig } from "../../src/config/load.ts";
import { runCommand } from "../../src/service/command-line.ts";
import { testFolder } from "../engine/children/child.ts";
import { changeDatabase } from "../engine/stored-database.ts";
import { freePort, openServiceStage } from "../service/stage.ts";

/** Removes steps from the end of the log. */
function cutTail(data: string, steps: number): void {
  const last = "SELECT max(place) FROM log WHERE partition = 'audit'";
  changeDatabase(
    data,
    `DELETE FROM log WHERE partition = 'audit' AND place > (${last}) - ${steps}`,
  );
}

function removeHeads(data: string): void {
  changeDatabase(data, `DELETE FROM kv WHERE bucket = '${HEADS_BUCKET}'`);
}

async function run(...argv: string[]): Promise<{ code: number | undefined; said: string }> {
  let said = "";
  const print = (text: string): void => {
    said += text;
  };
  const code = await runCommand(argv, {
    environment: {},
    out: print,
    err: print,
    signal: new AbortController().signal,
    onStart: () => {},
  });
  return { code, said };
}

/** A real gateway that ran and was stopped, with some calls in its log. */
async function ran(audit: object = {}): Promise<{ folder: string; data: string; config: string }> {
  const folder = await testFolder();
  const engine = { driver: "sqlite", folder: "data" };
  await using stage = await openServiceStage({ engine, audit }, { folder });
  for (let n = 0; n < 5; n++) {
    await stage.post("tools/list");
    await new Promise((resolve) => setTimeout(resolve, 70));
  }
  await stage.service.close();
  return { folder, data: join(folder, "data"), config: join(folder, "gateway.yaml") };
}

describe("a log whose end was cut", () => {
  test("S11: is found by its heads, and removed heads are a finding", async () => {
    const { data } = await ran();
    expect(await run("audit", "verify", "--folder", data)).toMatchObject({ code: 0 });
    cutTail(data, 3);
    const cut = await run("audit", "verify", "--folder", data);
    expect(cut).toMatchObject({ code: 1, said: expect.stringContaining("lacks its end") });
    removeHeads(data);
    const { code, said } = await run("audit", "verify", "--folder", data);
    expect(code).toBe(1);
    expect(said).toContain("has no valid head in audit-heads");
    expect(said).not.toContain("is complete and unmodified");
  });

  test("S11: is found with an anchor, with the heads removed, and names the records", async () => {
    const anchor = { file: "anchor.jsonl", seconds: 1 };
    const { folder, data, config } = await ran({ anchor });
    const file = join(folder, anchor.file);
    // Read from the configuration, and named.
    expect(await run("audit", "verify", "--config", config)).toMatchObject({ code: 0 });
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(1);
    expect(await run("audit", "verify", "--folder", data, "--anchor", file)).toMatchObject({
      code: 0,
      said: expect.stringContaining("The log is complete and unmodified."),
    });
    cutTail(data, 3);
    removeHeads(data);
    for (const by of [
      ["--config", config],
      ["--folder", data, "--anchor", file],
    ]) {
      const { code, said } = await run("audit", "verify", ...by);
      expect(code).toBe(1);
      expect(said).toMatch(/lacks its end, steps \d+ to \d+, with records? \d+/);
    }
    // All of the log gone, with its heads.
    changeDatabase(data, "DELETE FROM log");
    const { code, said } = await run("audit", "verify", "--folder", data, "--anchor", file);
    expect([code, said]).toEqual([1, expect.stringContaining("lacks its end, steps 1 to")]);
  });

  test("S11: an anchor that was made without the key is a finding", async () => {
    const { folder, data } = await ran();
    const other = await ran();
    const file = join(folder, "forged.jsonl");
    const engine = await openSqliteEngine({ folder: join(other.folder, "more") });
    const audit = await createAudit({
      engine,
      node: "n1",
      keys: [{ id: "other", secret: new Uint8Array(32).fill(9) }],
    });
    const forged = JSON.parse(audit.anchor());
    await audit.close();
    await engine.close();
    await writeFile(file, `${JSON.stringify(forged)}\n`);
    const { code, said } = await run("audit", "verify", "--folder", data, "--anchor", file);
    expect([code, said]).toEqual([
      1,
      expect.stringContaining("made with the key other, which isn't in audit.key"),
    ]);
    expect(said).toContain("The anchor doesn't contain a head of this log.");
    const missing = await run("audit", "verify", "--folder", data, "--anchor", `${file}.no`);
    expect(missing).toMatchObject({ code: 2, said: expect.stringContaining("can't be read") });
  });

  test("S11: a head that was changed to fit the cut is not taken", async () => {
    const folder = await testFolder();
    const keys = [{ id: "a1", secret: new Uint8Array(32).fill(3) }];
    const engine = await openSqliteEngine({ folder });
    const audit = await createAudit({ engine, node: "n1", keys });
    const early = { ...audit.state.head };
    for (let n = 0; n < 3; n++) {
      audit.record({ event: "request", tool: `tool-${n}` });
      await audit.flushed();
    }
    await audit.close();
    const heads = engine.kv(HEADS_BUCKET, { durable: true });
    const name = `n1.${early.epoch}`;
    const text = new TextDecoder().decode((await heads.get(name))?.value);
    const forged = JSON.stringify({ ...JSON.parse(text), ...early });
    await heads.put(name, new TextEncoder().encode(forged));
    const found = await verifyAudit({ log: engine.log, heads, keys });
    expect(found.findings).toMatchObject([{ kind: "missing" }]);
    expect(found.findings[0]?.text).toContain("no valid head");
    await engine.close();
  });

  test("S11: the gateway's next start names the step that is gone", async () => {
    const { folder, data } = await ran();
    cutTail(data, 3);
    const engine = { driver: "sqlite", folder: "data" };
    const stage = await openServiceStage({ engine }, { folder });
    await stage[Symbol.asyncDispose]();
    const { code, said } = await run("audit", "verify", "--folder", data);
    expect(code).toBe(1);
    expect(said).toMatch(/followed step \d+ of run \d+, which is missing from the log/);
  });
});

describe("a log whose beginning was cut", () => {
  test("S11: is found unless the gateway itself recorded that it trimmed the log", async () => {
    const engine = await openSqliteEngine({ folder: await testFolder() });
    const audit = await createAudit({ engine, node: "n1" });
    for (let n = 0; n < 100; n++) {
      audit.record({ event: "request", tool: `tool-${n}`, arguments: {} });
      await audit.flushed();
    }
    await engine.log.trim("audit", 60);
    const heads = engine.kv(HEADS_BUCKET, { durable: true });
    const cut = await verifyAudit({ log: engine.log, heads });
    expect(cut.findings.map(({ text }) => text).join()).toContain("no record shows that");
    const { first } = (await engine.log.bounds("audit")) ?? {};
    audit.record({ event: "operator", detail: { action: "trim", first } });
    await audit.close();
    const trimmed = await verifyAudit({ log: engine.log, heads });
    expect(trimmed).toMatchObject({ ok: true, gaps: [{ kind: "trimmed" }] });
    await engine.close();
  });
});

describe("audit.anchor", () => {
  test("S11: puts each head under an address, with its token", async () => {
    const seen: { path: string; auth: string | undefined; body: string }[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { url = "", headers, method } = request;
      seen.push({ path: `${method} ${url}`, auth: headers.authorization, body });
      response.writeHead(201).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/anchors/`;
    const { folder, data } = await ran({ anchor: { url, token: "anchor-token", seconds: 1 } });
    server.close();
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen.map(({ path }) => path)).size).toBe(seen.length);
    expect(seen[0]?.path).toMatch(/^PUT \/anchors\/[\w-]+-\d+-\d+\.json$/);
    expect(seen[0]?.auth).toBe("Bearer anchor-token");
    const file = join(folder, "collected.jsonl");
    await writeFile(file, seen.map(({ body }) => body).join(""));
    const whole = await run("audit", "verify", "--folder", data, "--anchor", file);
    expect(whole).toMatchObject({ code: 0 });
    cutTail(data, 3);
    removeHeads(data);
    expect(await run("audit", "verify", "--folder", data, "--anchor", file)).toMatchObject({
      code: 1,
      said: expect.stringContaining("lacks its end"),
    });
  });

  test("S11: an address that doesn't answer is logged once, and the gateway goes on", async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    await using stage = await openServiceStage({ audit: { anchor: { url, seconds: 1 } } });
    await expect.poll(() => stage.logText()).toContain("audit anchor can't be written");
    expect((await stage.post("tools/list")).status).toBe(200);
    await stage.service.close();
    const told = stage.log.filter(({ msg }) => `${msg}`.includes("audit anchor"));
    expect(told).toHaveLength(1);
  });

  test("S11: must be in a place of its own, and encrypted on its way", async () => {
    const folder = await testFolder();
    const file = join(folder, "gateway.yaml");
    const problems = async (anchor: object): Promise<string> => {
      const engine = { driver: "sqlite", folder: "data" };
      const auth = { mode: "dev", token: "a-token-of-32-characters-for-tests" };
      await writeFile(file, JSON.stringify({ engine, auth, servers: {}, audit: { anchor } }));
      return loadConfig(file, {}).then(
        () => "",
        (error: Error) => error.message,
      );
    };
    // Both are relative to the file, so they can be compared before they are resolved.
    expect(await problems({ file: "data/anchor.jsonl" })).toContain("next to the log");
    expect(await problems({ url: "http://anchors.example/" })).toContain("isn't encrypted");
    expect(await problems({ url: "https://me:pass@anchors.example/" })).toContain("credential");
    expect(await problems({})).toContain("Set exactly one of file and url");
    expect(await problems({ url: "https://anchors.example/a" })).toBe("");
    expect(await problems({ file: "elsewhere/anchor.jsonl" })).toBe("");
  });
});
