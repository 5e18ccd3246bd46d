// Browsers with a Host page in each, and what they are given to do.

import { setTimeout as delay } from "node:timers/promises";
import { startBrowser } from "../view/browser.mjs";
import { readGroupTime } from "../view/processor-time.mjs";
import { createTurns } from "../view/turns.mjs";

// A browser is ready when it has used less than this in one step, or after so many.
const QUIET = 20;
const STEP = 300;
const MOST_STEPS = 20;

/** Keeps the pages apart that ask for work, each in a browser of its own. */
export function createPages(cleanUp) {
  const open = new Map();
  let last = 0;
  let used = 0;
  return {
    /** Milliseconds of CPU that all browsers have used which are closed by now. */
    usedCpu: () => used,
    exchange: (name, outcome) => open.get(name)?.turns.exchange(outcome) ?? null,
    readCpu: (name) => readGroupTime(open.get(name)?.browser?.group),
    /** Starts a browser on the Host's page. */
    async start(hostUrl, options) {
      const name = String(++last);
      const page = { turns: createTurns(), browser: undefined };
      open.set(name, page);
      page.browser = await startBrowser(`${hostUrl}?page=${name}`, options);
      const { browser } = page;
      await cleanUp.add(browser.close);
      return {
        browser,
        take: (task) => Promise.race([page.turns.take(task), browser.exited]),
        close: async () => {
          open.delete(name);
          used += readGroupTime(browser.group);
          await browser.close();
        },
      };
    },
  };
}

/** Waits for a browser to come to rest after its start. */
export async function untilQuiet({ group }) {
  let used = readGroupTime(group);
  for (let step = 0; step < MOST_STEPS; step++) {
    await delay(STEP);
    const now = readGroupTime(group);
    // Before its page has loaded it may rest as well, but not with so little behind it.
    if (step && now - used < QUIET) return;
    used = now;
  }
}
