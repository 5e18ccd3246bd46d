// Runs third-party servers, each in `vitrine dev` with a real Chromium and under `vitrine check --ci`. Prints a
// table, and fails when one is neither shown nor explained.
//
//   npm run third-party                    all of them
//   npm run third-party -- --quick         four
//   npm run third-party -- map threejs     these
//   npm run third-party -- --only dev      one half of it, or the other: check
//   npm run third-party -- --pictures out  keeps a picture of each
//   npm run third-party -- --reports out   keeps the JSON report of each check

import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../../src/browser/chromium.ts";
import { type CheckVisit, visitByCheck } from "./check-visit.ts";
import { type DevVisit, isOffline, visitInDev } from "./dev-visit.ts";
import { THIRD_PARTY_SERVERS, type ThirdPartyServer } from "./servers.ts";

const WIDTHS = [22, 8, 14, 7, 12, 12];

function print(cells: readonly string[], rest: string): void {
  console.log(cells.map((text, at) => text.padEnd(WIDTHS[at] ?? 0)).join(" "), rest);
}

/** One half of a visit, or both. */
type Half = "dev" | "check";

interface VisitOptions {
  browser: Browser;
  pictures?: string;
  reports?: string;
  only?: Half;
}

/** Whether it is as it should be; prints its line. */
async function visit(
  server: ThirdPartyServer,
  { browser, pictures, reports, only }: VisitOptions,
): Promise<boolean> {
  const provided = await server.provide();
  if ("problem" in provided) {
    print([server.name, "NO", "", "", "", ""], provided.problem);
    return false;
  }
  const seen =
    only === "check" ? undefined : await visitInDev(server, provided, { browser, pictures });
  const checked =
    only === "dev" ? undefined : await visitByCheck(server, provided, { seen, reports });
  const { error = 0, warning = 0, info = 0 } = checked?.counts ?? {};
  print(
    [
      server.name,
      seen ? (seen.isStarted ? "yes" : "NO") : "–",
      seen?.shown ?? "–",
      seen ? `${seen.ms}` : "–",
      checked?.verdict ?? "–",
      checked ? `${error}/${warning}/${info}` : "–",
    ],
    notesOf(server, seen, checked),
  );
  return seen?.shown !== "NO" && !seen?.problem && !checked?.problem;
}

function notesOf(
  { offline, grants }: ThirdPartyServer,
  seen: DevVisit | undefined,
  checked: CheckVisit | undefined,
): string {
  return [
    seen?.problem && `dev: ${seen.problem}`,
    checked?.problem && `check: ${checked.problem}`,
    isOffline(seen) && offline?.reason,
    seen && grants && `granted ${grants.join(" ")}`,
    checked?.codes,
  ]
    .filter(Boolean)
    .join("; ");
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean" },
    only: { type: "string" },
    pictures: { type: "string" },
    reports: { type: "string" },
  },
});
const { quick, only, pictures, reports } = values;
const unknown = positionals.filter((name) => !THIRD_PARTY_SERVERS.some((one) => one.name === name));
const chosen = THIRD_PARTY_SERVERS.filter(({ name, isQuick }) =>
  positionals.length > 0 ? positionals.includes(name) : isQuick || !quick,
);
if (unknown.length > 0 || !["dev", "check", undefined].includes(only)) {
  console.error(
    unknown.length > 0
      ? `Unknown server ${unknown.join(", ")}. Choose from: ${THIRD_PARTY_SERVERS.map(({ name }) => name).join(", ")}.`
      : `--only is "${only}". Use dev or check.`,
  );
  process.exit(2);
}
for (const folder of [pictures, reports]) if (folder) await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: [
    "--no-first-run",
    "--disable-background-networking",
    // Some of them draw with WebGL, on machines without a graphics card too.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  ],
});
print(["server", "started", "view shown", "ms", "check", "err/warn/note"], "");
let good = 0;
for (const server of chosen) {
  const isGood = await visit(server, {
    browser,
    ...(pictures && { pictures }),
    ...(reports && { reports }),
    ...(only && { only: only as Half }),
  });
  if (isGood) good++;
}
await browser.close();
const what = {
  dev: "shown or explained in dev",
  check: "judged rightly by check",
  both: "shown or explained in dev, and judged rightly by check",
};
console.log(
  `third-party servers: ${good} of ${chosen.length} ${what[(only as Half | undefined) ?? "both"]}`,
);
if (good < chosen.length) process.exitCode = 1;
