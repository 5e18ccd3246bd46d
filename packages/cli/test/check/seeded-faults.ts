import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { type CheckReport, checkServer } from "../../src/check/check.ts";
import { renderWords } from "../../src/check/report/words.ts";
import type { BrokenApp } from "./broken-apps/broken-app.ts";

const SERVER = fileURLToPath(new URL("./broken-apps/server.ts", import.meta.url));

/** A check of one of the broken apps, started as a program; without a browser it is only read. */
export function checkBrokenApp(
  { name, runs = [] }: Pick<BrokenApp, "name" | "runs">,
  browser?: Browser,
): Promise<CheckReport> {
  const args = ["--experimental-strip-types", "--no-warnings", SERVER, name];
  return checkServer(
    { kind: "command", program: process.execPath, args },
    {
      browser,
      network: false,
      patience: 2_500,
      // All eleven of each take minutes, and say the same in their first lines.
      ...(process.env.ALL_RUNS ? {} : { runs: ["normal", ...runs] }),
    },
  );
}

/** What somebody reads first, and plainly. */
export function firstLines(report: CheckReport): string {
  return renderWords(report, { style: (_, text) => text })
    .split("\n")
    .slice(0, 3)
    .join("\n");
}
