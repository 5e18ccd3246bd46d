import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GatewayDefence } from "../defence.ts";
import { preloadEdits } from "./preload.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const CONFIG = fileURLToPath(new URL("./vitest.config.ts", import.meta.url));

interface Report {
  readonly testResults: readonly {
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** The titles, each part of a test's name, of which no test fails once a defence is removed. */
export async function passingWithout(
  defence: GatewayDefence,
  path: string,
  titles: readonly string[],
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-without-"));
  const file = join(folder, "report.json");
  const { args, environment } = preloadEdits(defence.name);
  const child = spawn(
    process.execPath,
    [
      ...["node_modules/vitest/vitest.mjs", "run", path, "--config", CONFIG],
      ...["--reporter=json", "--outputFile", file, "-t", titles.map(escapePattern).join("|")],
    ],
    {
      cwd: ROOT,
      stdio: "ignore",
      // Gateways that a test starts as processes need the edits too, and inherit them this way.
      env: {
        ...process.env,
        ...environment,
        NODE_OPTIONS: `--experimental-strip-types --no-warnings ${args.join(" ")}`,
      },
    },
  );
  await once(child, "exit");
  try {
    const report = JSON.parse(await readFile(file, "utf8")) as Report;
    const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    return titles.filter((title) => {
      const named = tests.filter(
        ({ fullName, status }) => fullName.includes(title) && /^(passed|failed)$/.test(status),
      );
      // An edit that keeps the file from loading removes no defence, so it doesn't count as noticed.
      if (named.length === 0) {
        throw new Error(`No test "${title}" ran: ${report.testResults[0]?.message ?? path}`);
      }
      return named.every(({ status }) => status === "passed");
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
