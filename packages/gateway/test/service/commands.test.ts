import { expect, test } from "vitest";
import { runCommand } from "../../src/service/command-line.ts";
import { COMMANDS } from "../../src/service/commands/index.ts";

async function help(argv: string[], program?: string): Promise<string> {
  let text = "";
  const code = await runCommand(argv, {
    ...(program !== undefined && { program }),
    environment: {},
    out: (part) => {
      text += part;
    },
    err: () => {},
    signal: new AbortController().signal,
    onStart: () => {},
  });
  expect(code).toBe(0);
  return text;
}

test("the help names the program as it was called (O16)", async () => {
  expect(await help(["--help"])).toContain("\n  vitrine-gateway start ");
  const called = await help(["--help"], "vitrine gateway");
  expect(called).toContain("\n  vitrine gateway start ");
  expect(called).not.toContain("vitrine-gateway ");
});

test("the help of a group has only its commands", async () => {
  const text = await help(["audit", "--help"]);
  expect(text).toContain("audit verify");
  expect(text).not.toContain("policy");
});

test("every command has its own name and help, and options of one name have one type", () => {
  const names = COMMANDS.flatMap(({ name, alias }) => [name, ...(alias ? [alias] : [])]);
  expect(new Set(names).size).toBe(names.length);
  const types = new Map<string, string>();
  for (const { name, usage, options = {} } of COMMANDS) {
    expect(usage[0]?.startsWith(name)).toBe(true);
    for (const [option, { type }] of Object.entries(options)) {
      expect([name, option, types.get(option) ?? type]).toEqual([name, option, type]);
      types.set(option, type);
    }
  }
});
