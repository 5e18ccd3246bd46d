import type { Page } from "playwright";
import type { Scene } from "../checks/check.ts";
import type { TargetAddresses } from "../lab/target-addresses.ts";
import type { StagedView } from "../stage/deployment.ts";
import type { LogLine } from "../stage/host-page.ts";
import { clickView, readLog, watchLog, within } from "../stage/page-steps.ts";
import type { SandboxStage } from "../stage/sandbox-stage.ts";
import type { Engine, EnginePage } from "./engine.ts";
import type { Field } from "./field.ts";

/** One behaviour that must be the same in every engine. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly quick?: true;
  /** The complaints; none when it holds. */
  run(scene: EngineScene): Promise<string[]>;
}

const PATIENCE = 15_000;

/** The steps on a page use only what every driver has, whatever their types say. */
export function asPage(page: EnginePage): Page {
  return page as unknown as Page;
}

/** A host page with views, in whichever engine. */
export interface EngineHost {
  readonly page: EnginePage;
  log(): Promise<readonly LogLine[]>;
  until(
    enough: (log: readonly LogLine[]) => boolean,
    patience?: number,
  ): Promise<readonly LogLine[]>;
  click(view: string): Promise<void>;
}

/** What a scenario works with; its pages are closed after it. */
export class EngineScene {
  readonly engine: Engine;
  readonly field: Field;
  readonly stage: SandboxStage;
  /** Notes about this engine that aren't complaints. */
  readonly notes: string[] = [];
  /** What the title claims and this engine does not give, where another scenario shows it harmless. */
  readonly reservations: string[] = [];
  /** What the title claims and this engine cannot do by nature: then the scenario is not held. */
  readonly lacks: string[] = [];
  readonly #pages: EnginePage[] = [];

  constructor(engine: Engine, field: Field, stage = field.sandbox) {
    this.engine = engine;
    this.field = field;
    this.stage = stage;
  }

  async open(views: readonly StagedView[]): Promise<EngineHost> {
    const { url } = await this.stage.prepare(views);
    const page = await this.openPage(url);
    return {
      page,
      log: async () => (await readLog(asPage(page))) ?? [],
      until: (enough, patience = PATIENCE) => watchLog(asPage(page), patience, enough),
      click: (view) => clickView(asPage(page), view),
    };
  }

  async openPage(url: string): Promise<EnginePage> {
    const page = await this.engine.open(url);
    this.#pages.push(page);
    return page;
  }

  async trap(): Promise<TargetAddresses & { cell: string; caught(): string[] }> {
    const cell = await this.field.openCell();
    const caught = () =>
      this.field.evidence.of(cell.id).map(({ kind, detail }) => `${kind}: ${detail}`);
    return { ...this.field.targetOf(cell), cell: cell.id, caught };
  }

  /** For checks of the main suite that need no more of a scene than this one has. */
  asScene(): Scene {
    return this as unknown as Scene;
  }

  async close(): Promise<void> {
    for (const page of this.#pages) await within(page.close(), 10_000);
  }
}
