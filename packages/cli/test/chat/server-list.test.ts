import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseServerList, type ServerEntry } from "../../src/chat/servers/server-list.ts";

/** A variable as the file writes it; a linter would take it for a template. */
const variable = (name: string): string => ["$", "{", name, "}"].join("");
const env = { TOKEN: "t-1", EMPTY: "" };

function read(mcpServers: unknown): Map<string, ServerEntry> {
  return new Map(parseServerList(JSON.stringify({ mcpServers }), { folder: "/project", env }));
}
const entry = (value: unknown): ServerEntry | undefined => read({ it: value }).get("it");
const reason = (value: unknown): string => (entry(value) as { reason: string }).reason;

describe("mcp.json", () => {
  it("reads programs with arguments, environment and folder", () => {
    expect(
      entry({ command: "npx", args: ["-y", "a-server"], env: { KEY: "k" }, cwd: "tools" }),
    ).toEqual({
      kind: "command",
      command: "npx",
      args: ["-y", "a-server"],
      env: { KEY: "k" },
      cwd: resolve("/project/tools"),
    });
    expect(entry({ type: "stdio", command: "a" })).toMatchObject({ args: [], env: {} });
  });

  it.each([
    [{}, undefined],
    [{ type: "http" }, "http"],
    [{ type: "streamable-http" }, "http"],
    [{ type: "sse" }, "sse"],
  ])("reads an address with %o", (more, transport) => {
    const found = entry({ url: "https://a.example/mcp", headers: { "x-a": "b" }, ...more });
    expect(found).toMatchObject({ kind: "url", transport, headers: { "x-a": "b" } });
    expect((found as { url: URL }).url.href).toBe("https://a.example/mcp");
  });

  it("replaces variables in every text, in the spellings of Claude and Cursor", () => {
    expect(
      entry({
        command: "a",
        args: [
          `--token=${variable("TOKEN")}`,
          variable("env:TOKEN"),
          variable("NONE:-default"),
          variable("EMPTY:-x"),
          "$TOKEN",
        ],
        env: { A: variable("TOKEN") },
      }),
    ).toMatchObject({
      args: ["--token=t-1", "t-1", "default", "x", "$TOKEN"],
      env: { A: "t-1" },
    });
    expect(
      entry({
        url: "https://a.example",
        headers: { authorization: `Bearer ${variable("TOKEN")}` },
      }),
    ).toMatchObject({ headers: { authorization: "Bearer t-1" } });
  });

  it("keeps the other servers if an entry can't be used, and explains it", () => {
    const servers = read({
      good: { command: "a" },
      bad: { command: "b", env: { K: variable("NONE") } },
    });
    expect(servers.get("good")?.kind).toBe("command");
    expect((servers.get("bad") as { reason: string }).reason).toContain("the variable NONE");
  });

  it.each([
    [{}, /neither "command" nor "url"/],
    [[], /isn't an object/],
    [{ command: "a", url: "https://a.example" }, /both "command" and "url"/],
    [{ command: 1 }, /"command" isn't a text/],
    [{ command: "" }, /"command" is empty/],
    [{ command: "a", args: "b" }, /"args" isn't a list/],
    [{ command: "a", type: "http" }, /The type is "http"/],
    [{ url: "file:///etc/passwd" }, /Use an address that starts with https/],
    [{ url: "javascript:alert(1)" }, /Use an address that starts with https/],
    [{ url: "https://a.example", type: "ws" }, /The type is "ws"/],
    [{ url: "https://a.example", headers: { a: 1 } }, /"headers.a" isn't a text/],
  ])("explains the entry %o", (value, words) => {
    expect(reason(value)).toMatch(words);
  });

  it("leaves out servers that are switched off, and keeps odd names as names", () => {
    const servers = read(
      JSON.parse('{"off":{"command":"a","disabled":true},"__proto__":{"command":"b"}}'),
    );
    expect([...servers.keys()]).toEqual(["__proto__"]);
  });

  it.each([
    ["{", /isn't valid JSON/],
    ["[]", /has no object "mcpServers"/],
    ['{"servers":{}}', /has no object "mcpServers"/],
    [JSON.stringify({ mcpServers: { ["x".repeat(65)]: { command: "a" } } }), /1 to 64 characters/],
    [
      JSON.stringify({
        mcpServers: Object.fromEntries(
          Array.from({ length: 65 }, (_, at) => [at, { command: "a" }]),
        ),
      }),
      /At most 64/,
    ],
  ])("rejects the file %#", (text, words) => {
    expect(() => parseServerList(text, { folder: "/", env })).toThrow(words);
  });
});
