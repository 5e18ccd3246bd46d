// The suite against our products, and against the official SDK and three of its example servers.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXAMPLE_SERVERS, startExampleServer } from "@vitrine/internal/example-servers";
import { installServers } from "../../../../examples/official-servers/install.ts";
import { type ConformanceReport, runConformance } from "../../src/run.ts";
import { type BrowserOptions, leaseBrowser } from "../../src/targets/browser.ts";
import { buildSdkView } from "../views/build-view.ts";
import { openOfficialStage } from "./official-stage.ts";
import { openVitrineStage, type Stage } from "./vitrine-stage.ts";

type OnReport = (report: ConformanceReport) => void;

const SOURCES = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
const SERVER = new URL("../../../../examples/ten-lines/server.mjs", import.meta.url);

/** The command of our server of ten lines. */
export const TEN_LINES: readonly string[] = [process.execPath, ...SOURCES, fileURLToPath(SERVER)];

const OFFICIAL = ["basic-vanillajs", "budget-allocator", "system-monitor"];

/** How the user of either page answers. */
// In the dialog, or in the area of the view.
export const CONSENT = {
  approve: "dialog .allow, [data-vitrine-question] .allow",
  deny: "dialog .deny, [data-vitrine-question] .deny",
};

/** The browser, and the signal to stop. */
export interface SelfOptions extends BrowserOptions {
  /** Cancels everything. */
  signal?: AbortSignal;
}

/** Our server of ten lines, our view, our host and our sandbox, all four roles in full. */
export async function runSelf(
  options: SelfOptions,
  onReport: OnReport = () => {},
): Promise<ConformanceReport[]> {
  const lease = await leaseBrowser(options);
  const stage = await openVitrineStage();
  try {
    const { signal } = options;
    const target = { command: TEN_LINES };
    const server = await runConformance({ role: "server", target, ...(signal && { signal }) });
    onReport(server);
    const html = await buildSdkView("@vitrine/view");
    return [server, ...(await runPages(stage, html, { ...options, ...lease }, onReport))];
  } finally {
    stage.close();
    await lease.close();
  }
}

/**
 * Where the official servers are; they are installed if they are not.
 * @public the command imports this file by its address
 */
export const findServers: () => Promise<string> = installServers;

/**
 * The official `App`, a page around the official `AppBridge`, and three official servers.
 * @public the command imports this file by its address
 */
export async function runOfficial(
  options: BrowserOptions & { modules: string },
  onReport: OnReport = () => {},
): Promise<ConformanceReport[]> {
  const lease = await leaseBrowser(options);
  const stage = await openOfficialStage();
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  try {
    const html = await buildSdkView("ext-apps-v2");
    const reports = await runPages(stage, html, lease, onReport);
    for (const example of EXAMPLE_SERVERS.filter(({ name }) => OFFICIAL.includes(name))) {
      const server = await startExampleServer(example, { modules: options.modules, folder });
      const calls = { [example.tool]: server.input };
      const report = await runConformance({ role: "server", target: { url: server.url, calls } });
      await server.close();
      reports.push({ ...report, subject: `server-${example.name}` });
      onReport({ ...report, subject: `server-${example.name}` });
    }
    return reports;
  } finally {
    stage.close();
    await lease.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runPages(
  { host, sandbox }: Stage,
  html: string,
  { browser, signal }: SelfOptions,
  onReport: OnReport,
): Promise<ConformanceReport[]> {
  // For a busy machine: a correct product takes a second.
  const given = { patience: 30_000, ...(browser && { browser }) };
  const rest = { timeout: 240_000, ...(signal && { signal }) };
  const reports: ConformanceReport[] = [];
  const take = (report: ConformanceReport): void => {
    reports.push(report);
    onReport(report);
  };
  take(
    await runConformance({ role: "host", ...rest, target: { url: host, ...CONSENT, ...given } }),
  );
  take(
    await runConformance({ role: "sandbox", ...rest, target: { url: sandbox, host, ...given } }),
  );
  take(await runConformance({ role: "view", ...rest, target: { html, ...given } }));
  return reports;
}
