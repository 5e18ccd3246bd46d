import { setTimeout as sleep } from "node:timers/promises";
import type { Channel } from "../channels/channel.ts";
import type { Arena } from "../egress.ts";
import { EgressMatrix } from "../egress-matrix.ts";
import { runEgress } from "../egress-run.ts";
import type { Engine } from "./engine.ts";
import { asPage } from "./engine-scene.ts";
import type { Field } from "./field.ts";
import { SILENT_CONTROLS } from "./silent-controls.ts";

/** What one engine let out, with and without the sandbox. */
export interface EgressColumn {
  readonly channels: readonly Channel[];
  readonly matrix: EgressMatrix;
  /** What an attack said when it failed in the control: mostly that the engine has no such thing. */
  readonly errors: ReadonlyMap<Channel, string>;
}

// Hits that come later than their page still count.
const LATE = 1000;

/** Attempts every channel without any defence and in the sandbox. */
export async function measureEgress(
  engine: Engine,
  field: Field,
  channels: readonly Channel[],
): Promise<EgressColumn> {
  const { control, sandbox, evidence, seesDns } = field;
  // WebDriver has a single focus, so pages come one after the other.
  const options = { pagesAtOnce: 1 };
  const attempts = await runEgress(arenaOf(engine, field), [control, sandbox], channels, options);
  await sleep(LATE);
  const errors = attempts.flatMap(({ stage, channel, error }) =>
    stage === control.name && error ? [[channel, error] as const] : [],
  );
  return {
    channels,
    // Look-ups are seen in the namespace, where alone egress is measured.
    matrix: new EgressMatrix(attempts, (cell) => evidence.of(cell), seesDns),
    errors: new Map(errors),
  };
}

function arenaOf(engine: Engine, field: Field): Arena {
  return {
    evidence: field.evidence,
    silent: SILENT_CONTROLS[engine.name],
    crashes: engine.crashes,
    openCell: () => field.openCell(),
    targetOf: (_stage, cell) => field.targetOf(cell),
    async open(url) {
      const page = await engine.open(url);
      return { page: asPage(page), close: () => page.close() };
    },
  };
}
