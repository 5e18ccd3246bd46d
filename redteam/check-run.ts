import { type Check, INCONCLUSIVE, Scene } from "./checks/check.ts";
import type { Laboratory } from "./lab/laboratory.ts";
import type { StageName } from "./stage/deployment.ts";
import type { Theatre } from "./stage/theatre.ts";

/** How one check went on one stage. */
export interface CheckResult {
  readonly check: Check;
  readonly stage: StageName;
  readonly complaints: readonly string[];
  readonly milliseconds: number;
}

const AT_ONCE = 3;
// Other work on the machine can only make a measured pause longer, so the best of a few is fairest.
const TRIES_WHEN_ALONE = 3;

/** Runs checks on their stages: those that measure time one by one, the others together. */
export async function runChecks(
  laboratory: Laboratory,
  theatre: Theatre,
  checks: readonly Check[],
  tries?: number,
): Promise<CheckResult[]> {
  const jobs = checks.flatMap((check) =>
    theatre.tiers
      .filter(({ name }) => check.stages.includes(name))
      .map((stage) => ({
        check,
        run: () => runCheck(check, () => new Scene(laboratory, stage), tries),
      })),
  );
  const together = jobs.filter(({ check }) => !check.alone);
  const results: CheckResult[] = [];
  const worker = async () => {
    for (let job = together.shift(); job; job = together.shift()) results.push(await job.run());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  for (const { run } of jobs.filter(({ check }) => check.alone)) results.push(await run());
  return results;
}

async function runCheck(
  check: Check,
  open: () => Scene,
  tries = check.alone ? TRIES_WHEN_ALONE : 1,
): Promise<CheckResult> {
  const result = await runOnce(check, open());
  const isLast = tries <= 1 || result.complaints.length === 0;
  return isLast ? result : runCheck(check, open, tries - 1);
}

async function runOnce(check: Check, scene: Scene): Promise<CheckResult> {
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
  return { check, stage: scene.stage.name, complaints, milliseconds };
}
