// Imports from an MCP registry: a local server with the documented format of its API, and hostile entries.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { importServer } from "../../src/admin/registry/registry-import.ts";
import { readEntry } from "../../src/admin/registry/registry-server.ts";
import { runCommand } from "../../src/service/command-line.ts";
import type { Json } from "../stage.ts";
import { openAdminStage } from "./stage.ts";

const OFFICIAL = "io.modelcontextprotocol.registry/official";
const entryOf = (server: object, status = "active") => ({
  server,
  _meta: { [OFFICIAL]: { status, publishedAt: "2026-01-01T00:00:00Z", isLatest: true } },
});

const ENTRIES: Record<string, Json> = {
  "io.github.acme/weather": entryOf({
    name: "io.github.acme/weather",
    description: "Weather\u001b[31m of the world",
    version: "1.2.3",
    remotes: [
      {
        type: "streamable-http",
        url: "https://weather.example/mcp",
        headers: [{ name: "X-Key", isRequired: true, value: "evil\nnewline: 1" }],
      },
    ],
  }),
  "io.github.acme/files": entryOf({
    name: "io.github.acme/files",
    version: "2.0.0",
    packages: [
      {
        ...{ registryType: "npm", identifier: "@acme/files", version: "2.0.0" },
        transport: { type: "stdio" },
        environmentVariables: [{ name: "FILES_TOKEN" }, { name: "BAD NAME\n# x" }],
        packageArguments: [{ type: "positional", value: "/etc" }],
      },
    ],
  }),
  "io.github.acme/gone": entryOf(
    { name: "io.github.acme/gone", version: "1.0.0", remotes: [] },
    "deleted",
  ),
  "io.github.acme/old": entryOf(
    {
      ...{ name: "io.github.acme/old", version: "1.0.0" },
      remotes: [{ type: "sse", url: "https://old.example/sse" }],
    },
    "deprecated",
  ),
};

let url: string;
const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(`${request.url}`);
  const { pathname, searchParams } = new URL(`${request.url}`, "http://localhost");
  const [, name, version] = /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(pathname) ?? [];
  const send = (body: unknown, status = 200): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  if (name !== undefined) {
    const found = ENTRIES[decodeURIComponent(name)];
    const isThere = version === "latest" || version === found?.server.version;
    return found && isThere ? send(found) : send({ title: "Not Found" }, 404);
  }
  const text = searchParams.get("search") ?? "";
  if (text === "flood") return send(`{"servers":["${"x".repeat(3 * 2 ** 20)}"]}`);
  if (text === "elsewhere") {
    response.writeHead(302, { location: "http://169.254.169.254/" });
    return void response.end();
  }
  const servers = Object.values(ENTRIES).filter((one) => one.server.name.includes(text));
  return send({ servers, metadata: { count: servers.length, nextCursor: "acme/z:1.0.0" } });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function run(...argv: string[]): Promise<{ code: number | undefined; text: string }> {
  let text = "";
  const print = (more: string): void => {
    text += more;
  };
  const signal = new AbortController().signal;
  const context = { environment: {}, out: print, err: print, signal, onStart: () => {} };
  return { code: await runCommand(["--registry", url, "registry", ...argv], context), text };
}

describe("the commands", () => {
  test("search prints the newest versions, without deleted ones and control characters", async () => {
    const { code, text } = await run("search", "acme");
    expect(code).toBe(0);
    expect(text).toMatch(/^NAME +VERSION +KIND +STATUS +DESCRIPTION\n/);
    expect(text).toMatch(/io\.github\.acme\/files +2\.0\.0 +npm +active/);
    expect(text).not.toContain("gone");
    expect(text).not.toContain("\u001b");
    expect(requests.at(-1)).toBe("/v0.1/servers?search=acme&version=latest&limit=50");
  });

  test("import prints an entry of the configuration, with an exact version and no foreign values", async () => {
    const files = await run("import", "io.github.acme/files");
    expect(parse(files.text)).toEqual({
      servers: { files: { command: ["npx", "--yes", "@acme/files@2.0.0"], toolChanges: "hold" } },
    });
    expect(files.text).toContain(
      "# It needs variables, which you have to set in env: FILES_TOKEN.",
    );
    expect(files.text).not.toMatch(/BAD NAME|\/etc/);
    const weather = await run("import", "io.github.acme/weather", "--version", "1.2.3");
    expect(parse(weather.text).servers.weather.url).toBe("https://weather.example/mcp");
    expect(weather.text).not.toContain("evil");
    const old = await run("import", "io.github.acme/old");
    expect(old.text).toContain('# "io.github.acme/old" is deprecated in the registry.');
    expect(parse(old.text).servers.old.transport).toBe("sse");
  });

  test("deleted and unknown servers, floods and redirects are one sentence", async () => {
    const cases: [string[], string][] = [
      [["import", "io.github.acme/gone"], "was deleted from the registry"],
      [["import", "io.github.acme/none"], "has no such server or version"],
      [["show", "io.github.acme/files", "--version", "9.9.9"], "has no such server or version"],
      [["search", "flood"], "too large"],
      [["search", "elsewhere"], "doesn't answer"],
      [["import", "../../secret"], "has no such server"],
    ];
    for (const [argv, text] of cases) {
      expect(await run(...argv)).toEqual({ code: 2, text: expect.stringContaining(text) });
    }
    const open = await run("search", "x", "--registry", "http://registry.example");
    expect(open.text).toContain("isn't encrypted");
  });
});

test("the admin port searches and imports", async () => {
  await using stage = await openAdminStage({ admin: { registry: url } });
  const { body } = await stage.get("/registry?search=weather");
  expect(body).toMatchObject({ items: [{ name: "io.github.acme/weather", version: "1.2.3" }] });
  const imported = await stage.change("/registry/import", { name: "io.github.acme/weather" });
  expect(imported.body).toMatchObject({ id: "weather", yaml: expect.stringContaining("url:") });
  expect((await stage.change("/registry/import", { name: "io.github.acme/gone" })).status).toBe(
    409,
  );
});

describe("hostile entries", () => {
  const base = { name: "io.github.evil/x", version: "1.0.0" };
  const npm = {
    registryType: "npm",
    identifier: "x",
    version: "1.0.0",
    transport: { type: "stdio" },
  };
  test.each<[string, Json]>([
    ["a name with a path", { ...base, name: "../../x" }],
    ["a name with a line break", { ...base, name: "io.github.evil/x\nservers:" }],
    ["a version range", { ...base, version: "^1.0.0" }],
    ["an option as version", { ...base, version: "--registry=http://evil.example" }],
    ["nothing", undefined],
    ["a list", []],
  ])("%s isn't an entry", (_what, given) => {
    expect(readEntry({ server: given })).toHaveProperty("problem");
  });

  test.each<[string, Json]>([
    ["http", { remotes: [{ type: "streamable-http", url: "http://evil.example" }] }],
    ["a script", { remotes: [{ type: "streamable-http", url: "javascript:alert(1)" }] }],
    ["a credential", { remotes: [{ type: "streamable-http", url: "https://a:b@evil.example" }] }],
    ["a template", { remotes: [{ type: "sse", url: "https://{host}/mcp" }] }],
    ["an option", { packages: [{ ...npm, identifier: "--eval=1" }] }],
    ["a git address", { packages: [{ ...npm, identifier: "git+ssh://evil.example/x" }] }],
    ["a folder", { packages: [{ ...npm, identifier: "../x" }] }],
    ["a tag", { packages: [{ ...npm, version: "latest" }] }],
    ["a shell", { packages: [{ ...npm, version: "1.0.0; rm -rf /" }] }],
    ["a binary", { packages: [{ ...npm, registryType: "mcpb" }] }],
  ])("%s can't be imported", (_what, more) => {
    const entry = readEntry({ server: { ...base, ...more } });
    expect(entry).not.toHaveProperty("problem");
    expect(() => importServer(entry as never)).toThrow("neither an https address nor");
  });
});
