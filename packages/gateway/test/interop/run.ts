// Third-party servers behind the gateway: real programs, over each transport they offer, in their default era
// and, if they support both, in the other. Prints a matrix; a red cell fails the run.
//
//   npm run interop                    all of them
//   npm run interop -- --quick         those of TypeScript and Python
//   npm run interop -- go rust         those whose name holds one of the words

import {
  createAddressGuard,
  createHttpUpstream,
  createStdioUpstream,
  EraCache,
  type Upstream,
} from "../../src/upstreams/index.ts";
import { has, type Made, provide } from "./cache.ts";
import { MAKERS, type Maker, type Way } from "./makers.ts";
import { allFailed, CHECKS, type Outcome, probe } from "./probe.ts";
import { openInterop, type ServedProgram, serveProgram } from "./stage.ts";

interface Found {
  era: string;
}

let red = 0;
let green = 0;
let left = 0;

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const isQuick = words.includes("--quick");
const wanted = words.filter((word) => !word.startsWith("--"));

line("maker", "transport", "era", ...CHECKS);
for (const maker of MAKERS) {
  const isWanted = wanted.some((word) => maker.name.toLowerCase().includes(word));
  if ((isQuick && !maker.isQuick) || (wanted.length > 0 && !isWanted)) continue;
  const made = prepare(maker);
  if ("problem" in made) {
    left++;
    console.log(`${maker.name.padEnd(24)}left out: ${made.problem}`);
    continue;
  }
  for (const way of maker.ways) {
    await row(maker, made.folder, way, "auto");
    // Modern servers can be called in the older protocol, except over transports that are older anyway.
    if (maker.era === "modern" && way !== "sse") await row(maker, made.folder, way, "legacy");
  }
}
console.log(`interop: ${green} cells good, ${red} red, ${left} makers left out`);
process.exitCode = red > 0 || green === 0 ? 1 : 0;

function prepare({ needs, recipe }: Maker): Made {
  if (needs && !has(needs, needs === "go" ? "version" : "--version")) {
    return { problem: `${needs} is not on this machine` };
  }
  return recipe ? provide(recipe) : { folder: "" };
}

async function row(
  maker: Maker,
  folder: string,
  way: Way,
  asked: "auto" | "legacy",
): Promise<void> {
  // Over what is of before there is nothing to find out.
  const isFoundOut = asked === "auto" && way !== "sse";
  const found: Found = { era: isFoundOut ? "?" : "legacy" };
  const outcome = await look(maker, folder, way, asked, found);
  const notes: string[] = [];
  const cells = CHECKS.map((name) => {
    const reason = outcome[name];
    if (reason !== undefined) notes.push(`${name}: ${reason}`);
    return reason === undefined ? "ok" : "RED";
  });
  if (isFoundOut && found.era !== maker.era) {
    notes.push(`era: ${found.era} instead of ${maker.era}`);
  }
  red += notes.length;
  green += CHECKS.length + Number(isFoundOut) - notes.length;
  line(maker.name, way, found.era, ...cells);
  for (const note of new Set(notes)) console.log(`  ${note.slice(0, 300)}`);
}

async function look(
  maker: Maker,
  folder: string,
  way: Way,
  asked: "auto" | "legacy",
  found: Found,
): Promise<Outcome> {
  const argv = maker.argv(folder);
  const path = way === "sse" ? "/sse" : (asked === "legacy" && maker.legacyPath) || "/mcp";
  let served: ServedProgram | undefined;
  try {
    if (way !== "stdio") {
      served = await serveProgram((port) => [...argv, way, `${port}`], { path });
    }
    await using stage = await openInterop({
      server: open([...argv, "stdio"], served, way, asked, found),
    });
    return await probe(stage, "server");
  } catch (error) {
    return allFailed(`${error}`);
  } finally {
    await served?.[Symbol.asyncDispose]();
  }
}

function open(
  argv: [string, ...string[]],
  served: ServedProgram | undefined,
  way: Way,
  era: "auto" | "legacy",
  found: Found,
): Upstream {
  const eras = new EraCache();
  const known = eras.of.bind(eras);
  // Notes what the upstream finds out about the server.
  eras.of = async (key, look) => {
    const verdict = await known(key, look);
    found.era = verdict.era;
    return verdict;
  };
  if (!served) return createStdioUpstream({ id: "server", argv, era, eras });
  const guard = createAddressGuard({ exempt: [new URL(served.url).host] });
  return createHttpUpstream({
    id: "server",
    url: served.url,
    guard,
    era,
    eras,
    transport: way === "sse" ? "sse" : "http",
  });
}

function line(...cells: string[]): void {
  const widths = [24, 11, 9, 12, 8, 10, 8, 8, 8];
  console.log(cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(""));
}
