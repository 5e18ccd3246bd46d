import type { Page } from "playwright";
import type { Laboratory } from "../lab/laboratory.ts";
import { addressesOf, type TargetAddresses } from "../lab/target-addresses.ts";
import type { StagedView, StageName } from "../stage/deployment.ts";
import type { LogLine } from "../stage/host-page.ts";
import { readLog, watchLog, within } from "../stage/page-steps.ts";
import type { PrepareOptions, SandboxPrepared, SandboxStage } from "../stage/sandbox-stage.ts";

/** One attack that is more than "does anything get out". */
export interface Check {
  readonly id: string;
  /** The requirement, as a sentence. */
  readonly title: string;
  /** Numbers in the attack catalogue. */
  readonly entries: readonly number[];
  readonly stages: readonly StageName[];
  /** Part of the fast subset. */
  readonly quick?: true;
  /** Must not share the machine with other checks: it measures time. */
  readonly alone?: true;
  /** Also measures time: it runs next to others, and again alone before a failure counts. */
  readonly timing?: true;
  /** The complaints; none when it holds. */
  run(scene: Scene): Promise<string[]>;
}

/** A target's addresses and whether anything arrived there. */
export interface Trap extends TargetAddresses {
  readonly cell: string;
  /** What arrived, in words. */
  caught(): string[];
}

export interface OpenHost {
  readonly page: Page;
  readonly prepared: SandboxPrepared;
  log(): Promise<readonly LogLine[]>;
  /** What a view said so far. */
  said(view?: string): Promise<unknown[]>;
  /** Waits for the record to hold something; the last record either way. */
  until(
    enough: (log: readonly LogLine[]) => boolean,
    patience?: number,
  ): Promise<readonly LogLine[]>;
}

/** What a check works with; everything it opens is closed after it. */
export class Scene {
  readonly laboratory: Laboratory;
  readonly stage: SandboxStage;
  /** How many times longer than on an idle machine work takes; waiting is stretched by as much. */
  readonly slowness: number;
  readonly #pages: Page[] = [];

  constructor(laboratory: Laboratory, stage: SandboxStage, slowness = 1) {
    this.laboratory = laboratory;
    this.stage = stage;
    this.slowness = slowness;
  }

  async trap(): Promise<Trap> {
    const cell = await this.laboratory.openCell();
    return {
      ...addressesOf(this.laboratory, this.stage.secure, cell),
      cell: cell.id,
      caught: () =>
        this.laboratory.evidence.of(cell.id).map(({ kind, detail }) => `${kind}: ${detail}`),
    };
  }

  async open(views: readonly StagedView[], options?: PrepareOptions): Promise<OpenHost> {
    const prepared = await this.stage.prepare(views, options);
    const page = await this.page();
    await page.goto(prepared.url, { waitUntil: "commit" });
    return {
      page,
      prepared,
      log: async () => (await readLog(page)) ?? [],
      said: async (view = "view") => spoken((await readLog(page)) ?? [], view),
      until: (enough, patience = 8000) => watchLog(page, patience * this.slowness, enough),
    };
  }

  async page(): Promise<Page> {
    const page = await this.laboratory.chromium.context.newPage();
    page.on("dialog", (dialog) => void dialog.dismiss().catch(() => {}));
    this.#pages.push(page);
    return page;
  }

  async close(): Promise<void> {
    for (const page of this.#pages) await within(page.close(), 3000);
  }
}

/** The reports of one view in a record. */
export function spoken(log: readonly LogLine[], view = "view"): unknown[] {
  return log.flatMap((line) =>
    line.view === view && line.msg?.params?.logger === "redteam" ? [line.msg.params.data] : [],
  );
}

/** Whether a view has said exactly this. */
export function hasSaid(log: readonly LogLine[], word: unknown, view = "view"): boolean {
  return spoken(log, view).some((data) => data === word);
}

/** Begins complaints that say nothing about the defence: the attack had no chance. */
export const INCONCLUSIVE = "inconclusive: ";

/** The complaint that a check proves nothing, if the condition does not hold. */
export function unlessTried(holds: unknown, complaint: string): string[] {
  return unless(holds, INCONCLUSIVE + complaint);
}

/** The complaint, if the condition does not hold. */
export function unless(holds: unknown, complaint: string): string[] {
  return holds ? [] : [complaint];
}
