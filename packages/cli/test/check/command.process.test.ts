import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { command } from "../../src/check/check-command.ts";
import type { Terminal } from "../../src/terminal.ts";

vi.setConfig({ testTimeout: 60_000 });

const SERVER = fileURLToPath(new URL("./broken-apps/server.ts", import.meta.url));
const FLAGS = ["--experimental-strip-types", "--no-warnings"];

async function check(...line: string[]): Promise<{ code: number; words: string }> {
  const printed: string[] = [];
  const terminal: Terminal = {
    isInteractive: false,
    columns: 100,
    print: (text) => void printed.push(text),
    complain: () => {},
    style: (_, text) => text,
  };
  const code = await command.run(line, terminal);
  return { code, words: printed.join("\n") };
}
const serverOf = (app: string): string[] => [process.execPath, ...FLAGS, SERVER, app];

test("a blank view exits with 1, and other errors do with --ci", async () => {
  const asked = await check("--no-render", ...serverOf("mime-type-plain"));
  expect(asked.words).toMatch(/^Blank: /);
  expect(asked.code).toBe(1);
  const textOnly = await check("--no-render", ...serverOf("flat-key-alone"));
  expect(textOnly.words).toMatch(/^Text only: /);
  expect(textOnly.code).toBe(0);
  expect((await check("--no-render", "--ci", ...serverOf("mime-type-plain"))).code).toBe(1);
  expect((await check("--no-render", "--ci", ...serverOf("healthy"))).code).toBe(0);
});

test("more warnings than allowed fail the build, and codes can be ignored", async () => {
  const line = ["--no-render", "--ci", "--max-warnings", "0"];
  expect((await check(...line, ...serverOf("words-see-above"))).code).toBe(1);
  expect(
    (await check(...line, "--ignore", "no-fallback", ...serverOf("words-see-above"))).code,
  ).toBe(0);
});

test("passes everything after the server's program, or after --, to the server", async () => {
  const { words } = await check("--no-render", "--", ...serverOf("text-empty"));
  expect(words).toMatch(/^Blank: .*its text is empty/);
});

test("writes the JSON and SARIF reports in addition to the text", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-check-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [json, sarif] = [join(folder, "check.json"), join(folder, "check.sarif")];
  await check("--no-render", "--json", json, "--sarif", sarif, ...serverOf("text-empty"));
  expect(JSON.parse(await readFile(json, "utf8")).verdict).toBe("blank");
  expect(JSON.parse(await readFile(sarif, "utf8")).version).toBe("2.1.0");
});

test("names the tool that was meant if --tool names one that doesn't exist", async () => {
  await expect(
    check("--no-render", "--tool", "no-such-tool", ...serverOf("healthy")),
  ).rejects.toThrow('The server has no tool "no-such-tool".');
});

test("passes the given arguments to the tool", async () => {
  const { words } = await check(
    "--no-render",
    "--call",
    'forecast={"city":"Oslo"}',
    ...serverOf("healthy"),
  );
  expect(words).toMatch(/^Healthy/);
});

test.for([
  [["--call", "forecast"], /Write it as --call 'tool=/],
  [["--calling", "maybe"], /safe, all or none/],
  [["--ignore", "nonsense"], /unknown code/],
  [["--patience", "soon"], /a number of seconds/],
  [["--max-warnings", "few"], /a whole number/],
] as const)("%o is refused with a word on how to write it", async ([options, message]) => {
  await expect(check("--no-render", ...options, ...serverOf("healthy"))).rejects.toThrow(message);
});

test("requires a server", async () => {
  await expect(check("--no-render")).rejects.toThrow(/The server is missing/);
});
