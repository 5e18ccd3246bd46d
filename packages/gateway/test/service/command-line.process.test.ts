import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveStation2 } from "@vitrine/internal/station-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../../src/service/command-line.ts";
import { changeDatabase } from "../engine/stored-database.ts";
import { META } from "../stage.ts";
import { freePort } from "./stage.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
let folder: string;
let port: number;
let station: Awaited<ReturnType<typeof serveStation2>>;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-command-"));
  station = await serveStation2();
  port = await freePort();
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});
afterAll(async () => {
  await station[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** A gateway in a process of its own. */
function start(args: string[]) {
  const flags = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
  const env = { PATH: `${process.env.PATH}` };
  const child = spawn(process.execPath, [...flags, MAIN, ...args], { cwd: folder, env });
  running.add(child);
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
  });
  const code = once(child, "close").then(([status]) => status as number | null);
  return { child, out: () => out, err: () => err, code };
}

/** A command that ends, in this process: starting another takes longer than what it does. */
async function finish(args: string[], environment: Record<string, string> = {}) {
  let out = "";
  let err = "";
  const code = await runCommand(
    args.map((arg) => (/^[\w-]+(\.yaml)?$/.test(arg) && isPath(arg) ? join(folder, arg) : arg)),
    {
      environment,
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      signal: AbortSignal.timeout(10_000),
      onStart: () => {
        throw new Error("It was not meant to start.");
      },
    },
  );
  const shorten = (text: string): string => text.replaceAll(`${folder}/`, "");
  return { code, out: shorten(out), err: shorten(err) };
}

function isPath(arg: string): boolean {
  return arg.endsWith(".yaml") || arg === "data" || arg === "nowhere";
}

async function write(name: string, lines: string[]): Promise<void> {
  await writeFile(join(folder, name), `${lines.join("\n")}\n`);
}

const time = 60_000;

describe("vitrine-gateway", () => {
  test("prints help, and reports a mistake in one message without a stack", {
    timeout: time,
  }, async () => {
    await write("bad.yaml", ["servers:", "  a: { url: https://a.example, consnt: ask }"]);
    await write("memory.yaml", ["servers:", "  a: { url: https://a.example }"]);
    const mistakes: [string[], RegExp][] = [
      [["stat"], /^Unknown command "stat"/],
      [["start"], /^The configuration is missing\./],
      [["check", "--config", "bad.yaml"], /^bad\.yaml:2: servers\.a\.consnt: .* "consent"\?/],
      [["check", "--config", "nowhere.yaml"], /^nowhere\.yaml: The file doesn't exist/],
      [["audit", "tail", "--config", "memory.yaml"], /^memory\.yaml uses the engine memory/],
      [["audit", "verify", "--folder", "nowhere"], /^nowhere\/gateway\.db doesn't exist/],
      [["audit", "tail", "--folder", ".", "--since", "May 1"], /^--since "May 1" isn't a time/],
      [["audit", "tail", "--folder", ".", "--last", "x"], /^--last "x" isn't a number/],
      [["check", "--config", "memory.yaml", "more"], /^Unexpected argument "more"/],
      [["config", "check", "--last", "3"], /^Unknown option '--last'/],
      [
        ["audit", "verif"],
        /^Unknown command "audit verif"\. Choose from: audit verify, audit tail/,
      ],
    ];
    const answers = await Promise.all(mistakes.map(([args]) => finish(args)));
    for (const [place, { code, out, err }] of answers.entries()) {
      expect(err).toMatch(mistakes[place]?.[1] as RegExp);
      expect(err).not.toMatch(/\n\s+at /);
      expect([code, out]).toEqual([2, ""]);
    }
    const help = await finish(["--help"]);
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining("vitrine-gateway start") });
  });

  test("checks a configuration and prints none of its secrets", { timeout: time }, async () => {
    const secret = "CANARY-0123456789-0123456789-0123456789";
    await write("good.yaml", [
      `auth: { token: "\${DEV}" }`,
      "origins: [http://app.localhost:8080]",
      "sandbox: { port: 18999 }",
      "servers:",
      `  a: { url: "https://a.example/mcp?key=CANARY", headers: { x: "\${DEV}" } }`,
      "  b: { command: [node, --token=CANARY] }",
    ]);
    const { code, out, err } = await finish(["check", "--config", "good.yaml"], { DEV: secret });
    expect([code, err]).toEqual([0, expect.stringMatching(/^engine: no driver is set.*\n$/)]);
    expect(out).toContain("good.yaml is valid.");
    expect(out).toContain("Server     a: https://a.example/mcp, consent ask");
    expect(out).not.toContain("CANARY");
  });

  test("rejects a Sandbox that isn't on another site", { timeout: time }, async () => {
    await write("near.yaml", [
      "origins: [http://proxy.localhost:8080]",
      "sandbox: { port: 18999 }",
      "servers: { a: { url: https://a.example } }",
    ]);
    const { code, err } = await finish(["check", "--config", "near.yaml"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^sandbox: /m);
  });

  test("starts, shows its token once, serves calls, shuts down, and its log verifies", {
    timeout: time,
  }, async () => {
    await write("gateway.yaml", [
      `listen: { port: ${port} }`,
      "engine: { driver: sqlite, folder: data }",
      "servers:",
      `  station: { url: "${station.url}", private: true }`,
    ]);
    // Of a try before this one.
    await rm(join(folder, "data"), { recursive: true, force: true });
    const gateway = start(["start", "--config", "gateway.yaml"]);
    await expect.poll(gateway.err, { timeout: 40_000 }).toContain("Token");
    const token = /Token {6}(\S+)/.exec(gateway.err())?.[1];
    const call = (name: string) =>
      fetch(`http://localhost:${port}/servers/station/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": name,
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: { city: "Graz" }, _meta: META },
        }),
      });
    expect((await call("forecast")).status).toBe(200);
    await call("nothing");
    const second = await finish(["start", "--config", "gateway.yaml"]);
    expect(second).toMatchObject({ code: 2, err: expect.stringContaining("engine.folder: ") });
    // While it runs, as soon as the record is stored:
    await expect
      .poll(
        async () => (await finish(["audit", "tail", "--config", "gateway.yaml", "--denied"])).out,
      )
      .toMatch(/ deny +visibility: unknown-tool +dev\/developer +station +tools\/call +nothing\n$/);
    const health = ["health", "--config", "gateway.yaml"];
    expect(await finish(health)).toEqual({ code: 0, out: "ok\n", err: "" });
    expect(await finish([...health, "--ready"])).toEqual({ code: 0, out: "ready\n", err: "" });
    gateway.child.kill("SIGTERM");
    expect(await gateway.code).toBe(0);
    expect(await finish(health)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/^No response from http:.*ECONNREFUSED/),
    });
    expect(gateway.err().split(`${token}`)).toHaveLength(2);
    expect(gateway.out()).not.toContain(token);
    // Only the log is on standard output: a collector can read every line as JSON (O16).
    const logged = gateway.out().trimEnd().split("\n");
    expect(logged.map((line) => JSON.parse(line).level)).toContain("info");
    const verified = await finish(["audit", "verify", "--config", "gateway.yaml"]);
    expect(verified).toMatchObject({
      code: 0,
      out: expect.stringContaining("The log is complete and unmodified."),
    });
    const exported = await finish(["audit", "export", "--folder", "data", "--tool", "forecast"]);
    const lines = exported.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ event }) => event)).toEqual(["request", "answer"]);
    // (O12)
    const of = async (...filter: string[]): Promise<number> =>
      (await finish(["audit", "export", "--folder", "data", ...filter])).out.split("\n").length - 1;
    const whole = await of("--user", "developer");
    expect(whole).toBeGreaterThan(2);
    expect(await of("--user", "dev/developer", "--tenant", "dev", "--since", "1h")).toBe(whole);
    expect(await of("--user", "acme/developer")).toBe(0);
    expect(await of("--until", "1h")).toBe(0);
    tamper(join(folder, "data"));
    const broken = await finish(["audit", "verify", "--config", "gateway.yaml"]);
    expect(broken).toMatchObject({ code: 1, err: "" });
    expect(broken.out).toContain("The log was MODIFIED or damaged.");
  });
});

/** Changes one word of the log, as somebody with the disk could. */
function tamper(data: string): void {
  const sql =
    "UPDATE log SET text = replace(text, 'forecast', 'FORECAST') WHERE partition = 'audit'";
  changeDatabase(data, sql);
}

test("--version prints the version of the package (O7)", async () => {
  const { version } = JSON.parse(
    await readFile(new URL("../../package.json", import.meta.url), "utf8"),
  );
  expect(await finish(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

test("SIGTERM ends a start that waits for its engine (O16)", { timeout: 20_000 }, async () => {
  // Accepts connections and never greets, as a NATS server that hangs.
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const connected = once(silent, "connection");
  const server = `nats://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await finish(["keys", "create", join(folder, "stopped-keys")]);
  await writeFile(
    join(folder, "stopped.yaml"),
    `keys: { folder: stopped-keys }\nengine: { driver: nats, servers: ["${server}"] }\nservers: {}\n`,
  );
  const gateway = start(["start", "--config", "stopped.yaml"]);
  await connected;
  gateway.child.kill("SIGTERM");
  expect(await gateway.code).toBe(2);
  expect(gateway.err()).toContain("The gateway was stopped before it had started.");
  silent.close();
});
