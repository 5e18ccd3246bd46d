import {
  AREAS,
  type Isolation,
  measureIsolation,
  PAIRS,
  SAME_VIEWS,
  type ViewPair,
} from "../checks/isolation.ts";
import { ISOLATION_LIMITS, isIrregular, limitsOf } from "../checks/isolation-limits.ts";
import type { StageName } from "../stage/deployment.ts";
import type { SandboxStage } from "../stage/sandbox-stage.ts";
import type { Engine, EngineName } from "./engine.ts";
import { EngineScene } from "./engine-scene.ts";
import type { Field } from "./field.ts";

/** What two views shared on one stage. */
export interface IsolationRow extends Isolation {
  readonly stage: StageName;
  readonly pair: string;
}

const CONTROL = "control";
const TRIES = 2;

/** Measures each pair of views on each stage; a stage without a resolver is left out. */
export async function runIsolation(engine: Engine, field: Field): Promise<IsolationRow[]> {
  const rows: IsolationRow[] = [];
  for (const stage of field.tiers.filter(({ secure }) => field.seesDns || !secure)) {
    const pairs = { ...PAIRS, ...(stage.name !== "tier-3" && { [CONTROL]: SAME_VIEWS }) };
    for (const [pair, views] of Object.entries(pairs)) {
      let row = await measure(engine, field, stage, views);
      // A machine that is busy can cut a probe short; a means that does connect stays connected.
      for (let round = 1; round < TRIES && row.problems.length > 0; round += 1) {
        row = await measure(engine, field, stage, views);
      }
      rows.push({ ...row, stage: stage.name, pair });
    }
  }
  return rows;
}

async function measure(
  engine: Engine,
  field: Field,
  stage: SandboxStage,
  views: ViewPair,
): Promise<Isolation> {
  const scene = new EngineScene(engine, field, stage);
  try {
    const requests = () => field.attacker.requests;
    const open: EngineScene["open"] = (shown) => scene.open(shown);
    return await measureIsolation({ trap: () => scene.trap(), open, requests }, views);
  } catch (error) {
    return { shared: [], problems: [String(error)] };
  } finally {
    await scene.close();
  }
}

/** Differences from the known limits, in either direction. */
export function isolationProblems(name: EngineName, rows: readonly IsolationRow[]): string[] {
  return rows.flatMap(({ stage, pair, shared, problems }) => {
    const where = `${name}: isolation of ${pair} on ${stage}`;
    const limits = limitsOf(name, stage);
    const beyond = shared.filter((means) => !limits.includes(means));
    const gone = limits.filter((means) => !shared.includes(means) && !isIrregular(name, means));
    if (problems.length > 0) return problems.map((text) => `${where}: ${text}`);
    if (pair === CONTROL) return [];
    return [
      ...beyond.map((means) => `${where}: connected by ${means}`),
      ...gone.map((means) => `${where}: ${means} connects nothing any more: remove the limit`),
    ];
  });
}

/** The rows for a terminal. */
export function isolationLines(rows: readonly IsolationRow[]): string {
  const line = ({ stage, pair, shared, problems }: IsolationRow) =>
    `apart ${stage} ${pair}: but for ${[...shared, ...problems].join(", ") || "nothing"}`;
  return rows.map(line).join("\n");
}

/** Channels that don't even connect views of one origin: for them a negative result proves nothing. */
function unseen(rows: readonly IsolationRow[]): string[] {
  const seen = rows.flatMap(({ shared }) => shared);
  return Object.values(AREAS)
    .flat()
    .filter((means) => !seen.includes(means));
}

/** The section of docs/engines.md. */
export function isolationSection(
  all: readonly { name: EngineName; isolation: readonly IsolationRow[] }[],
  table: (head: readonly string[], rows: readonly (readonly string[])[]) => string,
): string {
  return [
    "## Isolation",
    "Two views on one page each leave a mark by every means and then search for the other's mark, also from a nested frame. They differ in their server, their user or their policy. `–`: nothing crossed. The control is two views of one server, user and policy: what crosses there shows what the probe can see in this engine. `tier-1-listed` is tier 1 on a domain of the Public Suffix List.",
    ...all.flatMap(({ name, isolation }) => [
      `### ${name}`,
      table(
        ["stage", "views of two", ...Object.keys(AREAS)],
        isolation.map(({ stage, pair, shared, problems }) => [
          stage,
          pair,
          ...Object.values(AREAS).map((means) =>
            problems.length > 0
              ? "not measured"
              : means.filter((one) => shared.includes(one)).join(", ") || "–",
          ),
        ]),
      ),
      `Not proven, because the controls don't see it either: ${unseen(isolation).join(", ") || "none"}.`,
    ]),
    "### Limits",
    "A run fails when anything else crosses, and when a limit is gone.",
    table(
      ["what crosses", "engines", "stages", "why"],
      ISOLATION_LIMITS.map(({ means, engines, stages, reason }) => [
        means.join(", "),
        engines.join(", "),
        stages.join(", "),
        reason,
      ]),
    ),
  ].join("\n\n");
}
