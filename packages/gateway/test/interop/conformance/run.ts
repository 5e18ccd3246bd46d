// The official conformance tool against a server that has everything its scenarios ask for: directly, and
// through the gateway with the same server behind it over HTTP and as a program, and through the endpoint that
// combines both. A gateway that is worse than what it hides fails the run.
//
//   npm run conformance:mcp                   both revisions
//   npm run conformance:mcp -- 2026-07-28     one of them

import { fileURLToPath } from "node:url";
import { createStdioUpstream } from "../../../src/upstreams/index.ts";
import { provide } from "../cache.ts";
import { httpUpstream, openInterop, serveProgram } from "../stage.ts";
import { openNamesProxy } from "./names-proxy.ts";
import { type Run, runTool } from "./tool.ts";

const TOOL = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const REVISIONS = ["2026-07-28", "2025-11-25"];
const MAIN = fileURLToPath(new URL("../servers/everything/main.ts", import.meta.url));
const NODE = [process.execPath, "--experimental-strip-types", "--no-warnings"] as const;

const installed = provide({
  name: "conformance",
  inputs: [TOOL],
  make: () => [
    { argv: ["npm", "init", "-y"] },
    { argv: ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", TOOL] },
  ],
});
if ("problem" in installed) {
  console.error(`The conformance tool cannot be installed: ${installed.problem}`);
  process.exit(1);
}
const tool = `${installed.folder}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;

const asked = process.argv.slice(2);
await using served = await serveProgram((port) => [...NODE, MAIN, `${port}`]);
await using stage = await openInterop({
  http: httpUpstream("http", served.url),
  stdio: createStdioUpstream({ id: "stdio", argv: [...NODE, MAIN] }),
});

const combined = new URL("/mcp", stage.addressOf("http")).href;
await using names = await openNamesProxy(combined, "http");

let worse = 0;
for (const revision of asked.length > 0 ? asked : REVISIONS) {
  const direct = await runTool(tool, served.url, revision);
  // A tool that did not run would make everything equal.
  if (direct.size < 20) throw new Error(`Only ${direct.size} scenarios of ${revision} ran.`);
  const overHttp = await runTool(tool, stage.addressOf("http"), revision);
  const overStdio = await runTool(tool, stage.addressOf("stdio"), revision);
  const overAll = await runTool(tool, names.url, revision);
  worse += print(revision, direct, [overHttp, overStdio, overAll]);
}
console.log(worse === 0 ? "conformance: the gateway is no worse" : `conformance: ${worse} worse`);
process.exitCode = worse === 0 ? 0 : 1;

/** Prints one revision; the answer is in how many places the gateway is worse. */
function print(revision: string, direct: Run, gateways: readonly Run[]): number {
  line(`\n${revision}`, "direct", "gateway, HTTP", "gateway, stdio", "gateway, /mcp");
  const notes: string[] = [];
  let worse = 0;
  for (const [name, there] of direct) {
    const cells = gateways.map((run) => {
      const here = run.get(name) ?? { passed: 0, failures: new Map([["", "did not run"]]) };
      const own = [...here.failures].filter(([id]) => !there.failures.has(id));
      notes.push(...own.map(([id, why]) => `${name}: ${id}: ${why}`));
      return { text: score(here), isWorse: own.length > 0 || here.passed < there.passed };
    });
    const marked = cells.map(({ text, isWorse }) => (isWorse ? `${text} WORSE` : text));
    line(name, score(there), ...marked);
    worse += cells.filter(({ isWorse }) => isWorse).length;
  }
  for (const note of new Set(notes)) console.log(`  ${note.slice(0, 300)}`);
  return worse;
}

function score({ passed, failures }: { passed: number; failures: Map<string, string> }): string {
  return failures.size > 0 ? `${passed} passed, ${failures.size} failed` : `${passed} passed`;
}

function line(...cells: string[]): void {
  const widths = [48, 20, 28, 28, 28];
  console.log(cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(""));
}
