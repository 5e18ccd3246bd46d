import { setTimeout as sleep } from "node:timers/promises";
import { hasSaid, unless, unlessTried } from "../checks/check.ts";
import { scriptedView } from "../stage/view-document.ts";
import type { Scenario } from "./engine-scene.ts";

const CLICKS = 4;

/** Alt+click on a link, which Chromium takes for "save the target". */
export const LINK_SCENARIO: Scenario = {
  id: "alt-click",
  title: "S9: Alt+click on a link requests nothing",
  async run(scene) {
    const trap = await scene.trap();
    const html = scriptedView((href: string) => {
      const style = "position:fixed;inset:0;display:block;background:#eee";
      document.body.innerHTML = `<a href="${href}" style="${style}">link</a>`;
      addEventListener("mousedown", ({ altKey }) => say(altKey ? "alt" : "plain"), true);
      say("ready");
    }, `${trap.base}/c?secret=1`);
    const host = await scene.open([{ name: "view", server: "linker", html }]);
    await host.until((log) => hasSaid(log, "ready"));
    const { x, y } = await host.page.evaluate(() => {
      const box = (window.redteam.frames.view as HTMLIFrameElement).getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, null);
    let log = await host.log();
    // A frame that was just loaded may not be on the screen yet, and a click goes through it.
    for (let round = 0; round < CLICKS && !hasSaid(log, "alt"); round += 1) {
      await host.page.hand?.move(x + round, y);
      await host.page.hand?.press("Alt");
      log = await host.until((lines) => hasSaid(lines, "alt"), 1000);
    }
    await sleep(1500);
    const caught = trap.caught();
    const requests = caught.filter((text) => !text.startsWith("dns"));
    // Firefox connects in advance when the mouse goes down on any link, whatever keys are held.
    if (caught.length > requests.length)
      scene.reservations.push("a press looks up the link's host");
    return [
      ...unlessTried(hasSaid(log, "alt"), "no click with Alt arrived in the view"),
      ...unless(requests.length === 0, `attacker got ${requests.join("; ")}`),
    ];
  },
};
