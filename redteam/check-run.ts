import { type Check, INCONCLUSIVE, Scene } from "./checks/check.ts";
import type { Laboratory } from "./lab/laboratory.ts";
import { calm, measureSlowness } from "./lab/slowness.ts";
import type { StageName } from "./stage/deployment.ts";
import type { SandboxStage } from "./stage/sandbox-stage.ts";
import type { Theatre } from "./stage/theatre.ts";

/** How one check went on one stage. */
export interface CheckResult {
  readonly check: Check;
  readonly stage: StageName;
  readonly complaints: readonly string[];
  /** The complaints of earlier tries, and the machine's load from other work. */
  readonly earlier: readonly string[];
  readonly slowness: number;
  readonly milliseconds: number;
}

const AT_ONCE = 5;
// Other work on the machine can only make a measured time longer, so the best of a few is fairest.
const RETRIES: Retries = { tries: 3, calmTime: 15_000 };
// What got out or through did so, however busy the machine was.
const FACT = /^attacker got |reached the host$/;

/** How a check that measures time is tried again. */
export interface Retries {
  readonly tries: number;
  /** How long other work on the machine may take to end, before the next try. */
  readonly calmTime: number;
}

// Begun first: at the end, the others would have to wait for them.
const LONG = ["host-link-hosts", "host-link-schemes", "host-download-limits", "modified-clicks"];

interface Job {
  readonly check: Check;
  readonly stage: SandboxStage;
}

/**
 * Runs checks on their stages, several at a time. Those that measure time have the machine to
 * themselves, at once or after they failed next to others, and more than one try.
 */
export async function runChecks(
  laboratory: Laboratory,
  theatre: Theatre,
  checks: readonly Check[],
  retries: Partial<Retries> = {},
): Promise<CheckResult[]> {
  const { tries, calmTime } = { ...RETRIES, ...retries };
  const more = { tries: tries - 1, calmTime };
  const jobs: Job[] = checks.flatMap((check) =>
    [...theatre.tiers, theatre.listed]
      .filter(({ name }) => check.stages.includes(name))
      .map((stage) => ({ check, stage })),
  );
  const isLong = ({ check }: Job) => Number(LONG.includes(check.id));
  const together = jobs
    .filter(({ check }) => !check.alone)
    .sort((one, other) => isLong(other) - isLong(one));
  const results = new Map<Job, CheckResult>();
  const worker = async () => {
    for (let job = together.shift(); job; job = together.shift()) {
      results.set(job, await runOnce(job, laboratory));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  for (const job of jobs) {
    const result = results.get(job) ?? (await runOnce(job, laboratory, measureSlowness()));
    results.set(job, await repeat(job, laboratory, { ...more, result }));
  }
  return jobs.flatMap((job) => results.get(job) ?? []);
}

/** Tries again what measures time and failed, or came to nothing, and keeps what it said before. */
async function repeat(
  job: Job,
  laboratory: Laboratory,
  { result, tries, calmTime }: Retries & { result: CheckResult },
): Promise<CheckResult> {
  const { complaints, earlier } = result;
  const isTimed = job.check.alone || job.check.timing;
  // An attack that never took place, on a machine too busy for it, proves nothing.
  const isOpen = complaints.every((text) => text.startsWith(INCONCLUSIVE));
  const isOver = complaints.length === 0 || complaints.some((text) => FACT.test(text));
  if (!(isTimed || isOpen) || isOver || tries <= 0) return result;
  await calm(calmTime);
  const next = await runOnce(job, laboratory, measureSlowness());
  const said = `${complaints.join("; ")} (machine ${result.slowness.toFixed(1)} times as slow)`;
  const kept = { ...next, earlier: [...earlier, said] };
  return repeat(job, laboratory, { result: kept, tries: tries - 1, calmTime });
}

async function runOnce(
  { check, stage }: Job,
  laboratory: Laboratory,
  slowness = 1,
): Promise<CheckResult> {
  const scene = new Scene(laboratory, stage, slowness);
  const begun = performance.now();
  let complaints: readonly string[];
  try {
    complaints = await check.run(scene);
  } catch (error) {
    complaints = [`${INCONCLUSIVE}${error}`];
  } finally {
    await scene.close();
  }
  const milliseconds = performance.now() - begun;
  return { check, stage: stage.name, complaints, earlier: [], slowness, milliseconds };
}
