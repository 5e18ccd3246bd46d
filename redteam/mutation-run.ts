import { CHANNELS } from "./channels/channel-table.ts";
import { runChecks } from "./check-run.ts";
import { INCONCLUSIVE } from "./checks/check.ts";
import { CHECKS } from "./checks/check-table.ts";
import { DEFENCES, type Defence } from "./defences.ts";
import { EgressMatrix } from "./egress-matrix.ts";
import { arenaOf, runEgress } from "./egress-run.ts";
import type { Laboratory } from "./lab/laboratory.ts";
import { openTheatre, stageOf } from "./stage/theatre.ts";

/** The tests that noticed a missing defence, and those that should have but didn't. */
export interface MutationResult {
  readonly defence: Defence;
  readonly noticed: readonly string[];
  readonly missed: readonly string[];
}

export function findDefences(names: readonly string[]): readonly Defence[] {
  if (names.includes("all")) return DEFENCES;
  return names.map((name) => {
    const defence = DEFENCES.find((candidate) => candidate.name === name);
    if (defence) return defence;
    const known = DEFENCES.map((candidate) => candidate.name).join(", ");
    throw new Error(`There is no defence "${name}". Known: ${known}.`);
  });
}

const AT_ONCE = 3;

/** Takes defences away, each from a sandbox of its own; several at a time where nobody has to time. */
export async function runMutations(
  laboratory: Laboratory,
  defences: readonly Defence[],
  tell: (result: MutationResult) => void,
): Promise<void> {
  const isTimed = ({ noticedBy }: Defence) =>
    CHECKS.some(({ id, alone }) => alone && noticedBy.includes(id));
  const waiting = defences.filter((defence) => !isTimed(defence));
  const worker = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      tell(await runMutation(laboratory, one));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  for (const defence of defences.filter(isTimed)) tell(await runMutation(laboratory, defence));
}

/** Runs what must notice the loss against the sandbox without the defence. */
async function runMutation(laboratory: Laboratory, defence: Defence): Promise<MutationResult> {
  const theatre = await openTheatre(laboratory.certificate, defence.weakening);
  const channels = CHANNELS.filter(({ id }) => defence.noticedBy.includes(id));
  const checks = CHECKS.filter(({ id }) => defence.noticedBy.includes(id)).map((check) => ({
    ...check,
    stages: [defence.stage],
  }));
  try {
    const attempts = await runEgress(
      arenaOf(laboratory),
      [stageOf(theatre, defence.stage)],
      channels,
    );
    const results = await runChecks(laboratory, theatre, checks, { tries: 1 });
    const matrix = new EgressMatrix(
      attempts,
      (cell) => laboratory.evidence.of(cell),
      laboratory.seesDns,
    );
    const out = [...matrix.leaks(defence.stage), ...matrix.lookups(defence.stage)];
    const noticed = [
      ...out.map(({ id }) => `${id} ${matrix.code(defence.stage, byId(id))}`),
      ...results.flatMap(({ check, complaints }) =>
        complaints
          .filter((complaint) => !complaint.startsWith(INCONCLUSIVE))
          .map((complaint) => `${check.id}: ${complaint}`),
      ),
    ];
    const missed = defence.noticedBy.filter(
      (id) => !noticed.some((text) => text.split(/[ :]/)[0] === id),
    );
    return { defence, noticed, missed };
  } finally {
    theatre.close();
  }
}

function byId(id: string) {
  const channel = CHANNELS.find((candidate) => candidate.id === id);
  if (!channel) throw new Error(`There is no channel ${id}.`);
  return channel;
}
