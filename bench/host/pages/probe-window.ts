import { nextMessage } from "../../view/pages/probe-link.ts";
import type { ProbeCommand, ProbeReport } from "../../view/pages/probe-messages.ts";

type Report<Name extends ProbeReport["probe"]> = Extract<ProbeReport, { probe: Name }>;

const PATIENCE = 60_000;
const FIRST_WORDS = ["shown", "seen"];

/**
 * Resolves to the windows of the next Views that show a result or get a partial input, in their
 * order. Our relay hides its View's frame, so a View is found by its first message.
 */
export async function listenToViews(count: number): Promise<Window[]> {
  const windows: Window[] = [];
  const fits = (event: MessageEvent): boolean => {
    const source = event.source as Window;
    // What a sandbox itself sends is the road that is measured; its data is not ours to touch.
    if (source.parent === window || !FIRST_WORDS.includes(event.data?.probe)) return false;
    return windows.push(source) === count;
  };
  await nextMessage(`${count} Views`, fits, PATIENCE);
  return windows;
}

/** Resolves to the probe's next report of that name. */
export function listen<Name extends ProbeReport["probe"]>(
  view: Window,
  name: Name,
): Promise<Report<Name>> {
  return nextMessage(
    `"${name}" from the View`,
    (event) => event.source === view && event.data.probe === name,
  );
}

/** Has the probe do something, and resolves to its report of that name. */
export function ask<Name extends ProbeReport["probe"]>(
  view: Window,
  command: ProbeCommand,
  name: Name,
): Promise<Report<Name>> {
  const answer = listen(view, name);
  view.postMessage(command, "*");
  return answer;
}
