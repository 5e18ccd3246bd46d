import { EVERY_QUESTION, runInterleavings } from "../consent/interleavings.ts";
import type { SandboxStage } from "../stage/sandbox-stage.ts";
import { openTheatre, stageOf } from "../stage/theatre.ts";
import { type Check, Scene, unlessTried } from "./check.ts";

/** A small part of `npm run redteam:consent`. */
export const HOST_INTERLEAVING_CHECKS: readonly Check[] = [
  {
    id: "host-question-interleavings",
    title: "S36, S40: in random interleavings nothing is allowed that wasn't in sight for 500 ms",
    entries: [213],
    stages: ["tier-2"],
    async run({ laboratory, stage }) {
      const { weakening } = stage;
      const host = [...(weakening.host ?? []), ...EVERY_QUESTION];
      const theatre = await openTheatre(laboratory.certificate, { ...weakening, host });
      const scene = new Scene(laboratory, stageOf(theatre, stage.name) as SandboxStage);
      try {
        const totals = await runInterleavings(scene, { count: 18, pages: 6, seed: 1 });
        return [
          ...unlessTried(totals.questions > 5, `only ${totals.questions} questions came up`),
          ...totals.violations,
        ];
      } finally {
        await scene.close();
        theatre.close();
      }
    },
  },
];
