// Repeats the recorded actions, and asks whether the messages match.

import type { RecordedAction, RecordedInput, Recording } from "../../src/dev/recording.ts";
import { comparedMessages } from "../../src/dev/recording-comparison.ts";
import type { DevHost } from "./dev-host.ts";
import { wait } from "./faults.ts";
import { hasView } from "./tool-view.ts";

const QUIET = 700;
const LONGEST = 20_000;
const TOOLS = 20_000;

declare global {
  /** Only with an automated Chromium: nothing else can click inside a view. */
  var vitrineAct: ((action: RecordedAction) => Promise<void>) | undefined;
}

/** Replays all inputs; the verdict is in the state afterwards. */
export async function playBack(host: DevHost, recording: Recording): Promise<void> {
  const { state } = host;
  const total = recording.inputs.length;
  await until(() => state.get().tools.length > 0 || state.get().toolsError !== undefined, TOOLS);
  for (const [done, input] of recording.inputs.entries()) {
    state.set({ replay: { total, done } });
    await play(host, input);
    if (input.kind !== "consent") await rest(host, recording, done === total - 1);
  }
  state.set({ replay: { total, done: total, verdict: await host.judge() } });
}

async function play({ state, change, runs }: DevHost, input: RecordedInput): Promise<void> {
  // The host takes recorded answers by itself, when it would ask.
  if (input.kind === "consent") return;
  if (input.kind !== "run") {
    // The agent in the view notes it.
    await globalThis.vitrineAct?.(input);
    return;
  }
  change({
    ...input.settings,
    streaming: input.streaming === true,
    // Playwright misses the elements of a view that is drawn smaller.
    ...(globalThis.vitrineAct && { zoom: 1 }),
  });
  const tool = state.get().tools.find(({ name }) => name === input.tool);
  if (!tool) return;
  await runs.run(tool, input.arguments);
  const isOver = (): boolean =>
    state.get().stage === "shown" || state.get().diagnostics.some(({ level }) => level === "error");
  if (hasView(tool)) await until(isOver, LONGEST);
}

/** Waits until messages stop arriving, or all expected ones have arrived. */
async function rest({ timeline }: DevHost, recording: Recording, isLast: boolean): Promise<void> {
  const said = (): number =>
    comparedMessages({
      frames: timeline.rows.map(({ at, from, to, view, message }) => ({
        at,
        from,
        to,
        ...(view !== undefined && { view }),
        message,
      })),
    });
  const all = comparedMessages(recording);
  let last = timeline.rows.length;
  let since = Date.now();
  await until(() => {
    if (timeline.rows.length !== last) {
      last = timeline.rows.length;
      since = Date.now();
    }
    const isQuiet = Date.now() - since > QUIET;
    return isQuiet && (!isLast || said() >= all || Date.now() - since > QUIET * 4);
  }, LONGEST);
}

async function until(isTrue: () => boolean, longest: number): Promise<void> {
  const end = Date.now() + longest;
  while (!isTrue() && Date.now() < end) await wait(50);
}
