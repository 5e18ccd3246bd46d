import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright";
import type { Channel } from "./channels/channel.ts";
import type { EvidenceLog } from "./lab/evidence-log.ts";
import type { Cell } from "./lab/laboratory.ts";
import type { TargetAddresses } from "./lab/target-addresses.ts";
import { type AttackReport, attackPage } from "./stage/attack-page.ts";
import type { Stage, StageName } from "./stage/deployment.ts";
import type { LogLine } from "./stage/host-page.ts";
import { clickView, readLog, watchLog, within } from "./stage/page-steps.ts";

/** What one channel did on one stage, before the evidence is looked at. */
export interface Attempt {
  readonly stage: StageName;
  readonly channel: Channel;
  readonly cell: string;
  /** The view said its first word, and its click arrived if it needs one: the attack had its chance. */
  readonly started: boolean;
  /** Why the view is no more: the relay stopped it, or the browser ended its process. */
  readonly killed: string | undefined;
  readonly error: string | undefined;
}

/** A browser under attack, and what is seen around it. */
export interface Arena {
  readonly evidence: EvidenceLog;
  /** Channels that this browser is known not to have, or not to fire, without any defence. */
  readonly silent: readonly string[];
  /** Addresses of documents whose process ended, where the driver knows. */
  readonly crashes: readonly string[];
  openCell(): Promise<Cell>;
  targetOf(stage: Stage, cell: Cell): TargetAddresses;
  open(url: string): Promise<ArenaPage>;
}

/** Of a page no more is used than every driver has. */
export interface ArenaPage {
  readonly page: Page;
  /** Closes the page and the windows it opened. */
  close(): Promise<void>;
}

const START_TIME = 10_000;
// Long enough for every control that fires at all; hits that come later still count, because the
// evidence is read when the whole run is over.
const SETTLE_AFTER_LOAD = 200;
const SETTLE_AFTER_CLICK = 400;
// The longest wait for an expected event.
const PATIENCE = 2000;
const CLICKS = 3;
// As many as the window shows at once: what is not shown cannot be clicked.
const VIEWS_PER_PAGE = 9;

/**
 * Channels are attempted several to a page, which spares most of the browser's processes; the names
 * they attack keep their evidence apart. Those that can spoil it for the others are by themselves.
 */
export function batches(channels: readonly Channel[], stage: StageName): Channel[][] {
  const groups = Map.groupBy(channels, ({ id }) => companyOf(id, isControl(stage)));
  return [...groups.values()].flatMap((group) => {
    const pages = Math.ceil(group.length / VIEWS_PER_PAGE);
    const size = Math.ceil(group.length / pages);
    return Array.from({ length: pages }, (_, at) => group.slice(at * size, (at + 1) * size));
  });
}

/** The name of those a channel may share a page with. */
function companyOf(id: string, undefended: boolean): string {
  // Under an allow-list the browser ends its process, and Playwright then gives up on the page.
  if (/^rtc_(nested|srcdoc|credentialless|javascript)/.test(id)) return "nested peers";
  // Only a defence keeps the host page and its windows as they are; where it fails, that shows.
  if (!undefended) return "any";
  if (/^top_|_top$/.test(id)) return id;
  return /^popup_|_blank$/.test(id) ? "windows" : "any";
}

function isControl(stage: StageName): boolean {
  return stage.startsWith("control");
}

/** Whether silence here would be the laboratory's fault and no merit of a sandbox. */
export function isDue({ silent }: Arena, stage: StageName, { id }: Channel): boolean {
  return isControl(stage) && !silent.includes(id);
}

/** Whether a channel has done all it does; for most a look-up is only the beginning. */
export function hasFired({ evidence }: Arena, channel: Channel, cell: string): boolean {
  return evidence.of(cell).some(({ kind }) => kind !== "dns" || channel.onlyLooksUp);
}

interface StagedCell {
  readonly channel: Channel;
  readonly cell: Cell;
  /** The browser ended the view's process. */
  hasCrashed(): boolean;
}

/** Opens a fresh host page with hostile views; each attacks on load and inside a real click. */
export async function attempt(
  arena: Arena,
  stage: Stage,
  channels: readonly Channel[],
): Promise<Attempt[]> {
  const cells = await Promise.all(
    channels.map(async (channel) => ({ channel, cell: await arena.openCell() })),
  );
  const { url, marks } = await stage.prepare(
    cells.map(({ channel, cell }) => ({
      name: cell.id,
      server: cell.id,
      html: attackPage(channel, arena.targetOf(stage, cell)),
    })),
  );
  const staged: StagedCell[] = cells.map((one) => ({
    ...one,
    hasCrashed: () => arena.crashes.some((at) => at.includes(marks[one.cell.id] ?? " ")),
  }));
  // A page that an attack led away can make any step fail; what was seen outside counts anyway.
  const log = (await within(perform(arena, url, stage.name, staged), 60_000)) ?? [];
  return staged.map(({ channel, cell, hasCrashed }) => {
    const lines = log.filter(({ view }) => view === cell.id);
    const reports = lines.flatMap(reportOf);
    return {
      stage: stage.name,
      channel,
      cell: cell.id,
      started: reports.some(({ started, ran }) => (channel.needsClick ? ran === "click" : started)),
      killed: hasCrashed() ? "process gone" : lines.find(({ killed }) => killed)?.killed?.code,
      error: reports.find(({ error }) => error)?.error,
    };
  });
}

async function perform(
  arena: Arena,
  url: string,
  stage: StageName,
  staged: readonly StagedCell[],
): Promise<readonly LogLine[]> {
  const due = staged.filter(({ channel }) => isDue(arena, stage, channel));
  const pending = () => due.filter(({ channel, cell }) => !hasFired(arena, channel, cell.id));
  // What got out of a control on load has nothing left to prove.
  const open = () =>
    staged.filter((one) => !one.hasCrashed() && (!due.includes(one) || pending().includes(one)));
  // Silence has to last, so it takes its time wherever any of the views ought to keep it.
  const settle = (time: number) =>
    due.length < staged.length ? sleep(time) : until(() => pending().length === 0, time);
  const opened = await arena.open(url);
  const { page } = opened;
  let log: readonly LogLine[] = [];
  try {
    log = await watchLog(page, START_TIME, (lines) => staged.every((one) => isOver(lines, one)));
    await settle(SETTLE_AFTER_LOAD);
    let toClick: readonly StagedCell[] = open();
    for (let round = 0; round < CLICKS && toClick.length > 0; round += 1) {
      for (const { cell } of toClick) await clickView(page, cell.id);
      await until(() => pending().length === 0, PATIENCE);
      log = await watchLog(page, PATIENCE / CLICKS, (lines) =>
        open().every((one) => isSettled(lines, one)),
      );
      toClick = open().filter((one) => one.channel.needsClick && !hasClicked(log, one));
    }
    await settle(SETTLE_AFTER_CLICK);
    log = (await readLog(page)) ?? log;
  } finally {
    await within(opened.close(), 15_000);
  }
  return log;
}

/** A view that leaves is stopped and one that waits for a click gets it; others are done already. */
function isSettled(log: readonly LogLine[], staged: StagedCell): boolean {
  const { channel, cell } = staged;
  if (channel.needsClick) return hasClicked(log, staged);
  return (
    channel.family !== "navigation" || log.some(({ view, killed }) => view === cell.id && killed)
  );
}

function hasClicked(log: readonly LogLine[], { cell }: StagedCell): boolean {
  return log.some(
    (line) => line.view === cell.id && reportOf(line).some(({ ran }) => ran === "click"),
  );
}

async function until(enough: () => boolean, patience: number): Promise<void> {
  const end = performance.now() + patience;
  while (!enough() && performance.now() < end) await sleep(20);
}

/** The attack on load is done, one way or the other. */
function isOver(log: readonly LogLine[], { cell, hasCrashed }: StagedCell): boolean {
  const isLast = (line: LogLine) => line.killed || reportOf(line).some(({ ran }) => ran);
  return hasCrashed() || log.some((line) => line.view === cell.id && isLast(line));
}

function reportOf({ msg }: LogLine): AttackReport[] {
  const data = msg?.params?.data;
  return data && typeof data === "object" ? [data as AttackReport] : [];
}
