import { setTimeout as sleep } from "node:timers/promises";
import { unless, unlessTried } from "../checks/check.ts";
import type { Scenario } from "./engine-scene.ts";
import { HostDriver, viewOn } from "./host-driver.ts";
import { inWords } from "./host-views.ts";
import { watch } from "./patience.ts";

const TALL = `<style>body{margin:0}p{margin:0;height:400px;background:teal}</style><p>`;
/** Milliseconds between the presses of a double click. */
const GAP = 150;

/** What a View leaves behind: its words, and the place where the user was clicking. */
export const ENDING_SCENARIOS: readonly Scenario[] = [
  {
    id: "host-context-end",
    title: "S38: the model context of a stopped View is removed, and the user is notified",
    async run(scene) {
      const hostDriver = await HostDriver.open(scene);
      const html = await viewOn((app) => {
        app.ontoolinput = async () => {
          await app.updateModelContext({ content: [{ type: "text", text: "WORDS" }] });
          setTimeout(() => location.assign("https://evil.example/"), 2500);
        };
      });
      await hostDriver.show("teller", html, { input: {} });
      const snapshot = () =>
        hostDriver.page.evaluate(
          () => JSON.stringify(window.hostDriver?.host.modelContext.snapshot()),
          null,
        );
      const before = await watch(snapshot, (text) => text.includes("WORDS"));
      const after = await watch(snapshot, (text) => !text.includes("WORDS"));
      const notice = await watch(
        () => hostDriver.page.evaluate(() => window.hostDriver?.text() ?? "", null),
        (text) => text.includes("no longer sees"),
        5000,
      );
      return [
        ...unlessTried(before.includes("WORDS"), "it told the model nothing"),
        ...unless(after === "[]", `the model still knows ${after.slice(0, 80)}`),
        ...unless(notice.includes("no longer sees"), `the user reads ${inWords(notice)}`),
      ];
    },
  },
  {
    id: "host-double-click",
    title: "S37: the second click of a double click doesn't reach the View that moves up",
    async run(scene) {
      const hostDriver = await HostDriver.open(scene);
      const shrinker = await viewOn((_app, say) => {
        let presses = 0;
        addEventListener("pointerdown", () => {
          presses += 1;
          say(presses);
          // The first press only shows that the View is on the screen.
          const box = document.querySelector("p") as HTMLElement;
          if (presses > 1) box.style.height = "40px";
        });
      }, TALL);
      const bank = await viewOn((_app, say) => {
        addEventListener("pointerdown", () => say("pressed"));
      }, TALL);
      await hostDriver.show("shrinker", shrinker, { input: {} });
      await hostDriver.stages("shrinker");
      const isTall = async () => ((await hostDriver.box("iframe"))?.height ?? 0) >= 400;
      await watch(isTall, Boolean);
      await hostDriver.show("bank", bank, { input: {} });
      await hostDriver.stages("bank");
      const { x, y, height } = await hostDriver.settled("iframe");
      const box = { x, y: y + height - 60, width: 200, height: 40 };
      await hostDriver.user.moveTo(box);
      const warm = async () => {
        await hostDriver.user.press();
        return hostDriver.said("shrinker", (all) => all.length > 0, 1000);
      };
      await watch(warm, (all) => all.length > 0);
      await sleep(1500);
      await hostDriver.user.press();
      await sleep(GAP);
      await hostDriver.user.press();
      const first = await hostDriver.said("shrinker", (all) => all.length > 1, 3000);
      const second = await hostDriver.said("bank");
      await sleep(1500);
      await hostDriver.user.moveTo({ ...box, x: box.x + 6 });
      await hostDriver.user.press();
      const later = await hostDriver.said("bank", (all) => all.length > 0, 3000);
      return [
        ...unlessTried(first.length > 1, "no press arrived in the View that shrinks"),
        ...unless(second.length === 0, "the other View got the second click"),
        ...unlessTried(later.length > 0, "the other View never came to lie there"),
      ];
    },
  },
];
