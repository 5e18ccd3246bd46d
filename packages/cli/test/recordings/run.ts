// `npm run recordings`: records a session once, replays it on the unchanged app twenty times, and then on
// changed ones. A number as argument replays that often.

import { sharedBrowser } from "../e2e/dev-project.ts";
import { CHANGES } from "./changes.ts";
import { createRecordedProject } from "./recorded-session.ts";

const rounds = Math.min(Math.max(Number(process.argv[2] ?? 20) || 20, 1), 100);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const project = await createRecordedProject();
let same = 0;
let found = 0;
try {
  const recording = await project.record();
  const actions = recording.inputs.filter(({ kind }) => kind !== "run").length;
  say(`recorded: ${actions} actions, ${recording.frames.length} messages`);
  for (let round = 1; round <= rounds; round++) {
    const { code, verdict } = await project.replay(recording);
    if (code === 0) same++;
    say(`replay ${round}: ${code === 0 ? "the same" : verdict.words}`);
  }
  for (const { name, from, to, expected } of CHANGES) {
    await project.change(from, to);
    const { code, verdict } = await project.replay(recording);
    const isRight = code === 1 && expected.test(verdict.words ?? "");
    if (isRight) found++;
    say(`${name}: ${isRight ? "fails at the right message" : `wrong: ${verdict.words}`}`);
    await project.change(to, from);
  }
} finally {
  await project.remove();
  await (await sharedBrowser()).close();
}
say(`unchanged: ${same} of ${rounds}, changed: ${found} of ${CHANGES.length}`);
process.exit(same === rounds && found === CHANGES.length ? 0 : 1);
