import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What came out of one scenario. */
export interface Score {
  passed: number;
  /** Failed checks, each with the tool's message. */
  failures: Map<string, string>;
}

/** All scenarios of one run, in the order of the tool. */
export type Run = Map<string, Score>;

interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

const FOLDER = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** Runs what a revision of the specification requires against an address. */
export async function runTool(tool: string, url: string, revision: string): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  try {
    const args = [tool, "server", "--url", url, "--requirements", revision, "--output-dir", folder];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    await once(child, "exit");
    const scored: [string, number, Score][] = [];
    for (const name of await readdir(folder)) {
      const scenario = FOLDER.exec(name)?.[1];
      if (!scenario) continue;
      const checks = JSON.parse(
        await readFile(join(folder, name, "checks.json"), "utf8"),
      ) as Check[];
      scored.push([scenario, Date.parse(timeOf(name)), scoreOf(checks)]);
    }
    scored.sort(([, one], [, other]) => one - other);
    return new Map(scored.map(([scenario, , score]) => [scenario, score]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function scoreOf(checks: readonly Check[]): Score {
  const failures = new Map<string, string>();
  for (const { id, status, errorMessage = "" } of checks) {
    if (status === "FAILURE" || status === "WARNING") failures.set(id, errorMessage);
  }
  return { passed: checks.filter(({ status }) => status === "SUCCESS").length, failures };
}

/** `server-ping-2026-11-15T08-55-01-907Z` ends in a time, written as a file name allows. */
function timeOf(name: string): string {
  return name.slice(-24).replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/, "T$1:$2:$3.$4Z");
}
