import type { ProbeCommand, ProbeReport } from "./probe-messages.ts";

const PATIENCE = 20_000;

// The View's own window: past the relay, so that the measured road carries nothing of the bench.
function viewOf(frame: HTMLIFrameElement): Window | undefined {
  return frame.contentWindow?.[0];
}

/** Resolves to the probe's next report of that name. */
export function listen<Name extends ProbeReport["probe"]>(
  frame: HTMLIFrameElement,
  name: Name,
): Promise<Extract<ProbeReport, { probe: Name }>> {
  return nextMessage(
    `"${name}" from the View`,
    // Source before data here too: this listener sees every message of the measured road.
    (event) => event.source === viewOf(frame) && event.data.probe === name,
  );
}

/** Has the probe do something, and resolves to its report of that name. */
export function ask<Name extends ProbeReport["probe"]>(
  frame: HTMLIFrameElement,
  command: ProbeCommand,
  name: Name,
): Promise<Extract<ProbeReport, { probe: Name }>> {
  const answer = listen(frame, name);
  viewOf(frame)?.postMessage(command, "*");
  return answer;
}

/** Resolves to the data of the next message that fits. */
export function nextMessage<Data>(
  what: string,
  fits: (event: MessageEvent) => boolean,
  patience: number = PATIENCE,
): Promise<Data> {
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      clearTimeout(timer);
      removeEventListener("message", receive);
    };
    const receive = (event: MessageEvent): void => {
      if (!fits(event)) return;
      finish();
      resolve(event.data);
    };
    const timer = setTimeout(() => {
      finish();
      reject(new Error(`Waited ${patience} ms for ${what}.`));
    }, patience);
    addEventListener("message", receive);
  });
}
