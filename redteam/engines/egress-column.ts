import { setTimeout as sleep } from "node:timers/promises";
import type { Channel } from "../channels/channel.ts";
import { type Attempt, batches } from "../egress.ts";
import { EgressMatrix } from "../egress-matrix.ts";
import { type AttackReport, attackPage } from "../stage/attack-page.ts";
import type { Stage } from "../stage/deployment.ts";
import type { LogLine } from "../stage/host-page.ts";
import { clickView, readLog, watchLog, within } from "../stage/page-steps.ts";
import type { Engine } from "./engine.ts";
import { asPage } from "./engine-scene.ts";
import type { Field } from "./field.ts";

/** What one engine let out, with and without the sandbox. */
export interface EgressColumn {
  readonly channels: readonly Channel[];
  readonly matrix: EgressMatrix;
  /** What an attack said when it failed in the control: mostly that the engine has no such thing. */
  readonly errors: ReadonlyMap<Channel, string>;
}

const START_TIME = 10_000;
// Hits that come later still count: the evidence is read when the whole column is done.
const SETTLE_AFTER_LOAD = 300;
const SETTLE_AFTER_CLICK = 500;

/** Attempts every channel without any defence and in the sandbox. */
export async function measureEgress(
  engine: Engine,
  field: Field,
  channels: readonly Channel[],
): Promise<EgressColumn> {
  const attempts: Attempt[] = [];
  for (const stage of [field.control, field.sandbox]) {
    const first = await attemptAll(engine, field, stage, channels);
    // A view that never ran says nothing about its channel. Nor does a control that is silent the
    // first time: WebKit drops the first look-up of its life.
    const again = first.filter(
      (one) => !wasSeen(field, one) && (stage === field.control || !one.started),
    );
    const repeated = again.map(({ channel }) => channel);
    attempts.push(...first, ...(await attemptAll(engine, field, stage, repeated)));
  }
  await sleep(1500);
  const errors = attempts.flatMap(({ stage, channel, error }) =>
    stage === field.control.name && error ? [[channel, error] as const] : [],
  );
  // Of two attempts the matrix keeps the last, which must be the one that got out.
  attempts.sort((one, other) => Number(wasSeen(field, one)) - Number(wasSeen(field, other)));
  return {
    channels,
    // Look-ups are seen in the namespace, where alone egress is measured.
    matrix: new EgressMatrix(attempts, (cell) => field.evidence.of(cell), field.seesDns),
    errors: new Map(errors),
  };
}

function wasSeen({ evidence }: Field, { cell }: Attempt): boolean {
  return evidence.of(cell).length > 0;
}

async function attemptAll(
  engine: Engine,
  field: Field,
  stage: Stage,
  channels: readonly Channel[],
): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (const group of batches(channels)) {
    attempts.push(...(await attempt(engine, field, stage, group)));
  }
  return attempts;
}

async function attempt(
  engine: Engine,
  field: Field,
  stage: Stage,
  channels: readonly Channel[],
): Promise<Attempt[]> {
  const staged = await Promise.all(
    channels.map(async (channel) => ({ channel, cell: await field.openCell() })),
  );
  const { url } = await stage.prepare(
    staged.map(({ channel, cell }) => ({
      name: cell.id,
      server: cell.id,
      html: attackPage(channel, field.targetOf(cell)),
    })),
  );
  const names = staged.map(({ cell }) => cell.id);
  // A page that an attack led away can make any step fail; what was seen outside counts anyway.
  const log = (await within(perform(engine, url, names), 60_000)) ?? [];
  return staged.map(({ channel, cell }) => {
    const lines = log.filter(({ view }) => view === cell.id);
    const reports = lines.flatMap(reportOf);
    return {
      stage: stage.name,
      channel,
      cell: cell.id,
      started: reports.some(({ started }) => started),
      killed: lines.find(({ killed }) => killed)?.killed?.code,
      error: reports.find(({ error }) => error)?.error,
    };
  });
}

async function perform(engine: Engine, url: string, views: readonly string[]) {
  const page = await engine.open(url);
  let log: readonly LogLine[] = [];
  try {
    log = await watchLog(asPage(page), START_TIME, (lines) =>
      views.every((view) => lines.some((line) => line.view === view && isOver(line))),
    );
    await sleep(SETTLE_AFTER_LOAD);
    for (const view of views) await clickView(asPage(page), view);
    await sleep(SETTLE_AFTER_CLICK);
    log = (await readLog(asPage(page))) ?? log;
  } finally {
    await within(page.close(), 15_000);
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
