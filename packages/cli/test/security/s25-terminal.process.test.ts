import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ConformanceReport, renderMatrix, renderOverview } from "@vitrine/conformance";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readableLine } from "../../src/gateway/readable-log.ts";
import { withoutControls } from "../../src/terminal.ts";
import { VITRINE, vitrine } from "../create/program.ts";

vi.setConfig({ testTimeout: 60_000 });

const NAMES = fileURLToPath(new URL("./hostile-names.mjs", import.meta.url));
const ESC =
  "\u001b]0;PWNED\u0007\u001b]52;c;cm0gLXJmIC8=\u0007\u001b[2J\u001b[1;1H\u001b]8;;http://evil.example/\u0007click\u001b]8;;\u0007\r\u009b31m\u202e\u2028\n::error::forged\n";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-s25-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** What a terminal, a reader or a CI runner would obey in a text. */
function obeyed(text: string): string[] {
  const controls = text.match(
    /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
  );
  const commands = text.split("\n").filter((line) => /^\s*::|##(?:vso)?\[/.test(line));
  return [...(controls ?? []), ...commands];
}

/** A server over HTTP with escapes in every name, description, address and error. */
async function serveHostile(): Promise<{ url: string; close(): void }> {
  const ui = { resourceUri: `ui://x/y${ESC}`, visibility: [ESC] };
  const inputSchema = {
    type: "object",
    properties: { [`p${ESC}`]: { type: "string", description: ESC } },
    required: [`p${ESC}`],
  };
  const tools = [
    { name: `t${ESC}`, title: ESC, description: ESC, inputSchema, _meta: { ui } },
    {
      name: "ok",
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
      _meta: { ui },
    },
  ];
  const html = `<!doctype html><script src="https://evil.example/${ESC}.js"></script><p>hi`;
  const answers: Record<string, (params: { uri: string }) => object> = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: `N${ESC}`, title: ESC, version: `V${ESC}` },
    }),
    "tools/list": () => ({ tools }),
    "resources/list": () => ({ resources: [{ uri: ui.resourceUri, name: ESC, mimeType: ESC }] }),
    "resources/read": ({ uri }) => ({
      contents: [
        {
          uri,
          mimeType: `text/html${ESC}`,
          text: html,
          _meta: { ui: { csp: { connectDomains: [ESC] } } },
        },
      ],
    }),
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const answer = answers[method];
    const outcome = answer
      ? { result: answer(params) }
      : { error: { code: -1, message: `ERR${ESC}` } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/mcp`, close };
}

test("S25: a check of a hostile program prints no escapes and no commands of a CI runner", async () => {
  const line = ["check", "--no-render", "--ci", process.execPath, NAMES];
  const { out, err } = await vitrine(line, { cwd: folder });
  // One line, so that no part of it looks like output of the CLI.
  expect(out.split("\n").filter((each) => /^\s*\\?::/.test(each))).toEqual([]);
  expect(out).toContain("y\\n::stop-commands::t\\n::error file=a.ts,line=1::forged\\n\\x1b]52");
  expect(obeyed(out + err)).toEqual([]);
});

test("S25: a suggested command does what it says when it is copied into a shell", async () => {
  const line = ["check", "--no-render", process.execPath, NAMES];
  const { out } = await vitrine(line, { cwd: folder });
  const suggested = out
    .split("\n")
    .find((each) => each.includes("touch PWNED") && each.includes("--call"));
  const words = suggested?.slice(suggested.indexOf("--call")) ?? "";
  const script = `printf '%s|' ${words}`;
  const printed = execFileSync("sh", ["-c", script], { cwd: folder, encoding: "utf8" });
  expect(printed).toBe("--call|x'; touch PWNED; echo '={}|");
  expect(existsSync(join(folder, "PWNED"))).toBe(false);
});

test("S25: a check of a hostile address prints no escapes", async () => {
  const server = await serveHostile();
  try {
    const { out, err } = await vitrine(["check", "--no-render", server.url], { cwd: folder });
    expect(out).toContain("PWNED");
    expect(obeyed(out + err)).toEqual([]);
  } finally {
    server.close();
  }
});

test.each(["program", "address"])("S25: dev prints no escapes of a hostile %s", async (kind) => {
  const server = await serveHostile();
  const target = kind === "program" ? [process.execPath, NAMES] : [server.url];
  const args = [...VITRINE, "dev", "--port", "0", "--no-watch", "--", ...target];
  const child = spawn(process.execPath, args, { cwd: folder });
  try {
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        said += chunk;
      });
    }
    await expect.poll(() => said, { timeout: 40_000 }).toContain("Press Ctrl+C to stop");
    if (kind === "program") await expect.poll(() => said).toContain("from stderr");
    expect(obeyed(said)).toEqual([]);
  } finally {
    const closed = once(child, "close");
    child.kill("SIGTERM");
    await closed;
    server.close();
  }
});

test("S25: a server that fails to start is quoted without its escapes", async () => {
  const script = `process.stderr.write(${JSON.stringify(ESC)}); process.exit(3)`;
  const line = ["check", "--no-render", process.execPath, "-e", script];
  const { code, out, err } = await vitrine(line, { cwd: folder });
  expect(code).toBe(2);
  expect(obeyed(out + err)).toEqual([]);
});

test("S25: a user can't forge a line or a fact of the gateway's log on a terminal", () => {
  const tool = "\u001b]52;c;ZXZpbA==\u0007\u001b[2K\r\n13:00:00 info  all is well";
  const entry = { level: "info", time: "2026-11-16T10:20:30.400Z", msg: "request refused" };
  const line = JSON.stringify({ ...entry, tool, user: "x link=audit", [`k${ESC}`]: [ESC] });
  const shown = readableLine(line, { style: (_, text) => text });
  expect(obeyed(shown)).toEqual([]);
  expect(shown.split("\n")).toHaveLength(1);
  expect(shown).toContain('user="x link=audit"');
  expect(obeyed(readableLine(`no JSON ${ESC}`, { style: (_, text) => text }))).toEqual([]);
});

test("S25: a conformance report holds no escapes of the product", () => {
  const outcome = {
    id: "SRV-01",
    force: "MUST",
    verdict: "fail",
    rule: "A rule",
    note: `::error::x${ESC}`,
  };
  const report = {
    role: "server",
    subject: ESC,
    outcomes: [outcome],
  } as unknown as ConformanceReport;
  expect(obeyed(renderMatrix(report))).toEqual([]);
  expect(obeyed(renderOverview([report]))).toEqual([]);
});

test("S25: the terminal itself takes our styles and nothing else", () => {
  const text = `\u001b[1mbold\u001b[22m ${ESC}\u001b[8mhidden`;
  const shown = withoutControls(text);
  expect(shown.startsWith("\u001b[1mbold\u001b[22m ")).toBe(true);
  expect(obeyed(shown.slice("\u001b[1mbold\u001b[22m ".length))).toEqual([]);
});
