import { setTimeout as sleep } from "node:timers/promises";
import { type HostScene, openView } from "../stage/host-scene.ts";
import { hostedView } from "../stage/host-view.ts";
import { type Check, unless, unlessTried } from "./check.ts";

/** Longest pause of the host beyond those of a quiet second, in ms. */
const LONGEST_PAUSE = 1000;

/** Past relay and port: any page can post to a window, whether it listens or not. */
export const HOST_FLOOD_CHECKS: readonly Check[] = [
  {
    id: "host-direct-flood",
    title: "a view that floods the host's window, past relay and port, is found out and stopped",
    entries: [75],
    stages: ["tier-2"],
    alone: true,
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        await new Promise((resolve) => setTimeout(resolve, 3000));
        say("begun");
        let sent = 0;
        const timer = setInterval(() => {
          for (let at = 0; at < 2000; at += 1) (top as Window).postMessage({ sent }, "*");
          sent += 2000;
          if (sent >= 100_000) clearInterval(timer);
        }, 10);
      });
      const host = await openView(scene, html);
      await host.page.evaluate(watchPauses);
      await sleep(1000);
      const quiet = await resetPause(host);
      await host.untilSaid(1);
      await sleep(4000);
      const pause = Math.round((await resetPause(host)) - quiet);
      const { said, diagnostics } = await host.record();
      return [
        ...unlessTried(said.length > 0, "the view did not run"),
        ...unless(
          diagnostics.some(({ level, code }) => level === "error" && code !== "focus-theft"),
          "it was not stopped",
        ),
        ...unless(pause < LONGEST_PAUSE, `the host paused ${pause} ms longer than before`),
      ];
    },
  },
];

declare global {
  interface Window {
    longestPause?: number;
  }
}

/** In the host's page: measures how late its own clock is. */
function watchPauses(): void {
  let last = performance.now();
  window.longestPause = 0;
  setInterval(() => {
    const now = performance.now();
    window.longestPause = Math.max(window.longestPause ?? 0, now - last);
    last = now;
  }, 20);
}

/** Restarts the measurement; returns the longest pause so far. */
function resetPause({ page }: HostScene): Promise<number> {
  return page.evaluate(() => {
    const pause = window.longestPause ?? 0;
    window.longestPause = 0;
    return pause;
  });
}
