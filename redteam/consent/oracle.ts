import type { SiteRecord } from "../stage/host-program.ts";
import type { DialogRecord, PressRecord, ScreenRecord } from "./recorder.ts";

/** Milliseconds for which a request has to be on the screen before the press that allows it. */
const SHOWN = 500;
// A frame is recorded at its beginning, and what the dialog does in it comes after.
const TOLERANCE = 20;
// A question that follows another so closely took its place.
const SWAP = 100;

/** The calls that a run allowed, and those it must not have allowed. */
export interface Verdict {
  readonly calls: number;
  readonly violations: readonly string[];
  /** The shortest time that an allowed request was on the screen. */
  readonly shortest: number;
}

/** Judges every call that reached a server by what was on the screen before. */
export function judge({ calls }: Pick<SiteRecord, "calls">, screen: ScreenRecord): Verdict {
  const violations: string[] = [];
  let shortest = Number.POSITIVE_INFINITY;
  for (const { arguments: args } of calls) {
    const text = JSON.stringify(args, null, 2);
    const dialog = screen.dialogs.find((one) => one.isQuestion && one.text.includes(text));
    const press = dialog && lastPress(dialog, screen.presses);
    shortest = Math.min(shortest, press?.clearFor ?? 0);
    const complaint = complain(dialog, press, screen);
    if (complaint) violations.push(`${text.slice(0, 60).replace(/\s+/g, " ")}…: ${complaint}`);
  }
  for (const tick of screen.ticks) {
    const complaint = complainOfPress(tick);
    if (complaint) violations.push(`another scope was picked: ${complaint}`);
  }
  return { calls: calls.length, violations, shortest };
}

function lastPress(
  { id, closedAt }: DialogRecord,
  presses: readonly PressRecord[],
): PressRecord | undefined {
  return presses.findLast(({ dialog, at }) => dialog === id && at <= closedAt);
}

function complain(
  dialog: DialogRecord | undefined,
  press: PressRecord | undefined,
  screen: ScreenRecord,
): string | undefined {
  if (!dialog) return "no question showed it";
  if (!press) return "nobody pressed anything";
  const isSwap = isSwapped(dialog, screen);
  return (
    complainOfPress(press) ??
    (isSwap ? "it took the place of a question nobody answered" : undefined)
  );
}

function complainOfPress({ isAllSeen, clearFor, why }: PressRecord): string | undefined {
  if (!isAllSeen) return "a part of it was never in sight";
  if (clearFor >= SHOWN - TOLERANCE) return undefined;
  return `in sight for ${Math.round(clearFor)} ms only, since ${why}`;
}

function isSwapped(dialog: DialogRecord, { dialogs, answers }: ScreenRecord): boolean {
  const before = dialogs.find(({ id }) => id === dialog.id - 1);
  if (!before?.isQuestion || dialog.openedAt - before.closedAt > SWAP) return false;
  return !answers.some(({ dialog: id, at }) => id === before.id && before.closedAt - at < SWAP);
}
