// Runs inside the View document after the View's own script, and is the same for every variant. It
// talks to the Host page past the relay, so that the measured road carries nothing but the protocol.

import type { ProbeCommand, ProbeReport } from "./probe-messages.ts";

interface MeasuredView {
  roll(): Promise<unknown>;
  onPartial(listener: (params: { arguments?: object }) => void): void;
}

// Set by the marks around the View's script and by that script (`view-page.mjs`).
declare const view: MeasuredView;
declare const marks: [beforeNothing: number, beforeView: number, afterView: number];

function report(message: ProbeReport): void {
  window.top?.postMessage(message, "*");
}

// The View's result handler writes into the output, and this runs a microtask later.
const shown = new MutationObserver(() => {
  shown.disconnect();
  const [beforeNothing, beforeView, afterView] = marks;
  const [empty, script] = [beforeView - beforeNothing, afterView - beforeView];
  report({ probe: "shown", empty, script });
});
shown.observe(document.querySelector("output") as Element, { childList: true });

async function call(times: number): Promise<number> {
  const start = performance.now();
  for (let done = 0; done < times; done++) await view.roll();
  return performance.now() - start;
}

// The very first partial is reported whatever its length: a sign of life where no result comes.
let expected = 0;
view.onPartial(({ arguments: args }) => {
  if ((args as { text: string }).text.length < expected) return;
  expected = Number.POSITIVE_INFINITY;
  report({ probe: "seen" });
});

addEventListener("message", async (event: MessageEvent<ProbeCommand>) => {
  if (event.source !== window.top) return;
  const command = event.data;
  if (command.probe === "call") {
    report({ probe: "called", took: await call(command.times) });
  } else {
    expected = command.length;
    report({ probe: "expecting" });
  }
});
