// A server under `vitrine check --ci`, and whether it is right.

import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DevVisit, isOffline } from "./dev-visit.ts";
import { startProgram } from "./program.ts";
import type { Provided, ThirdPartyServer } from "./servers.ts";

/** What it said. */
export interface CheckVisit {
  /** `healthy`, `poor`, …, or `did not run`. */
  verdict: string;
  /** How many errors, warnings and notes. */
  counts: { error: number; warning: number; info: number };
  /** The codes of errors and warnings, each with its number. */
  codes: string;
  problem?: string;
}

interface Report {
  verdict: string;
  findings: { code: string; severity: "error" | "warning" | "info" }[];
  views: { isShown: boolean | null }[];
}

/** Checks a server. What dev showed of it tells whether there is an internet connection. */
export async function visitByCheck(
  server: ThirdPartyServer,
  { words, input = server.input }: Provided,
  { seen, reports }: { seen?: DevVisit | undefined; reports?: string | undefined } = {},
): Promise<CheckVisit> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-check-"));
  const json = join(folder, "report.json");
  const call = `${server.tool}=${JSON.stringify(input)}`;
  const program = startProgram(["check", "--ci", "--json", json, "--call", call, "--", ...words]);
  try {
    const code = await program.ended();
    const report: Report = JSON.parse(await readFile(json, "utf8"));
    if (reports) await copyFile(json, join(reports, `${server.name}.json`));
    const problem = complaint(server, report, { code, seen });
    return { ...summary(report), ...(problem && { problem }) };
  } catch {
    const counts = { error: 0, warning: 0, info: 0 };
    const problem = program.said.trim().split("\n").at(-1) ?? "";
    return { verdict: "did not run", counts, codes: "", problem };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function summary({ verdict, findings }: Report): Omit<CheckVisit, "problem"> {
  const counts = { error: 0, warning: 0, info: 0 };
  const codes = new Map<string, number>();
  for (const { code, severity } of findings) {
    counts[severity]++;
    if (severity !== "info") codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  const named = [...codes].map(([code, count]) => (count > 1 ? `${code} ×${count}` : code));
  return { verdict, counts, codes: named.join(", ") };
}

/** The difference between the check's result and the expectations of the server, if any. */
function complaint(
  server: ThirdPartyServer,
  { verdict, findings, views }: Report,
  { code, seen }: { code: number | null; seen: DevVisit | undefined },
): string | undefined {
  if (server.isWithoutUi)
    return verdict === "no-ui" && code === 0 ? undefined : `check's verdict is ${verdict}`;
  const found = findings.filter(({ severity }) => severity === "error").map((one) => one.code);
  const { expected, isHidden } = expectationOf(server, found, seen);
  const known = [...new Set(found)].sort();
  if (known.join() !== expected.join())
    return `check calls an error: ${known.join(", ") || "nothing"}`;
  if (code !== (known.length > 0 ? 1 : 0)) return `check --ci ended with ${code}`;
  return isHidden || views.every(({ isShown }) => isShown === true)
    ? undefined
    : "check did not see it";
}

/** What check has to call an error, and whether it can have seen the View. */
function expectationOf(
  { errors = [], offline }: ThirdPartyServer,
  found: readonly string[],
  seen: DevVisit | undefined,
): { expected: string[]; isHidden: boolean } {
  // Alone it is the check's own word that there is no internet.
  const isAlone = seen === undefined && found.some((code) => offline?.errors?.includes(code));
  const isMissing = isOffline(seen) || isAlone;
  const more = isMissing ? (offline?.errors ?? []) : [];
  return {
    expected: [...new Set([...errors, ...more])].sort(),
    isHidden: isMissing && offline?.words !== undefined,
  };
}
