import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright";
import type { Channel } from "./channels/channel.ts";
import type { Laboratory } from "./lab/laboratory.ts";
import { addressesOf } from "./lab/target-addresses.ts";
import { type AttackReport, attackPage } from "./stage/attack-page.ts";
import type { Stage, StageName } from "./stage/deployment.ts";
import type { LogLine } from "./stage/host-page.ts";
import { clickView, readLog, watchLog, within } from "./stage/page-steps.ts";

/** What one channel did on one stage, before the evidence is looked at. */
export interface Attempt {
  readonly stage: StageName;
  readonly channel: Channel;
  readonly cell: string;
  /** The view said its first word, so the attack had its chance. */
  readonly started: boolean;
  /** Why the view is no more: the relay stopped it, or the browser ended its process. */
  readonly killed: string | undefined;
  readonly error: string | undefined;
}

const START_TIME = 10_000;
// Long enough for every control that fires at all; hits that come later still count, because the
// evidence is read when the whole run is over.
const SETTLE_AFTER_LOAD = 200;
const SETTLE_AFTER_CLICK = 400;
const VIEWS_PER_PAGE = 6;

/**
 * Channels are attempted several to a page, which spares most of the browser's processes; the names
 * they attack keep their evidence apart. Those that can take the whole page away get one each.
 */
export function batches(channels: readonly Channel[]): Channel[][] {
  const alone = channels.filter(disturbsOthers);
  const together = channels.filter((channel) => !disturbsOthers(channel));
  const groups: Channel[][] = alone.map((channel) => [channel]);
  for (let at = 0; at < together.length; at += VIEWS_PER_PAGE) {
    groups.push(together.slice(at, at + VIEWS_PER_PAGE));
  }
  return groups;
}

function disturbsOthers({ id, family }: Channel): boolean {
  return family === "window" || family === "peer" || id.startsWith("form_target");
}

/** Opens a fresh host page with hostile views; each attacks on load and inside a real click. */
export async function attempt(
  laboratory: Laboratory,
  stage: Stage,
  channels: readonly Channel[],
): Promise<Attempt[]> {
  const staged = await Promise.all(
    channels.map(async (channel) => ({ channel, cell: await laboratory.openCell() })),
  );
  const { url, marks } = await stage.prepare(
    staged.map(({ channel, cell }) => ({
      name: cell.id,
      server: cell.id,
      html: attackPage(channel, addressesOf(laboratory, stage.secure, cell)),
    })),
  );
  const page = await laboratory.chromium.context.newPage();
  const log = await perform(
    page,
    url,
    staged.map(({ cell }) => cell.id),
  );
  return staged.map(({ channel, cell }) => {
    const lines = log.filter(({ view }) => view === cell.id);
    const reports = lines.flatMap(reportOf);
    const crashed = laboratory.chromium.crashes.some((at) => at.includes(marks[cell.id] ?? " "));
    return {
      stage: stage.name,
      channel,
      cell: cell.id,
      started: reports.some(({ started }) => started),
      killed: crashed ? "process gone" : lines.find(({ killed }) => killed)?.killed?.code,
      error: reports.find(({ error }) => error)?.error,
    };
  });
}

async function perform(page: Page, url: string, views: readonly string[]) {
  const popups: Page[] = [];
  page.on("popup", (popup) => popups.push(popup));
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => {}));
  let log: readonly LogLine[] = [];
  try {
    await within(page.goto(url, { waitUntil: "commit" }), 15_000);
    log = await watchLog(page, START_TIME, (lines) =>
      views.every((view) => lines.some((line) => line.view === view && isOver(line))),
    );
    await sleep(SETTLE_AFTER_LOAD);
    for (const view of views) await clickView(page, view);
    await sleep(SETTLE_AFTER_CLICK);
    log = (await readLog(page)) ?? log;
  } finally {
    for (const popup of popups) await within(popup.close(), 2000);
    await within(page.close(), 3000);
  }
  return log;
}

/** The attack on load is done, one way or the other. */
function isOver(line: LogLine): boolean {
  return line.killed !== undefined || reportOf(line).some(({ ran }) => ran);
}

function reportOf({ msg }: LogLine): AttackReport[] {
  const data = msg?.params?.data;
  return data && typeof data === "object" ? [data as AttackReport] : [];
}
