import { setTimeout as sleep } from "node:timers/promises";
import { INCONCLUSIVE, unless } from "../checks/check.ts";
import type { EngineScene, Scenario } from "./engine-scene.ts";
import { HostDesk } from "./host-desk.ts";
import type { Box } from "./host-user.ts";
import { callerView, inWords, press, type Told } from "./host-views.ts";
import { watch } from "./patience.ts";

const LURES = 3;

export const CONSENT_SCENARIO: Scenario = {
  id: "host-consent",
  title:
    "a tool that may change something is asked about in a dialog of the Host's, which answers no click before its time",
  quick: true,
  async run(scene) {
    const desk = await HostDesk.open(scene);
    await desk.show("caller", await callerView(), { input: {} });
    await desk.stages("caller");
    await press(desk, "write");
    const text = await dialogText(desk);
    await armed(desk);
    const allow = await desk.settled("button.allow");
    await desk.user.click(await desk.settled("button.deny"));
    const denied = await desk.said<Told>("caller", (all) => all.some(({ refused }) => refused));
    const none = await desk.calls();
    await press(desk, "write");
    await armed(desk);
    await desk.user.click(await desk.settled("button.allow"));
    const allowed = await desk.said<Told>("caller", (all) => all.some(({ answer }) => answer));
    const calls = await desk.calls();
    return [
      ...unless(
        text.includes("write") && text.includes("weather.example") && text.includes("Oslo"),
        `the dialog reads ${inWords(text)}`,
      ),
      ...unless(denied.at(-1)?.refused, `after a no the View was told ${inWords(denied.at(-1))}`),
      ...unless(none.length === 0, `after a no the tool was called: ${inWords(none)}`),
      ...unless(allowed.at(-1)?.answer, `after a yes the View was told ${inWords(allowed.at(-1))}`),
      ...unless(calls.length === 1, `after a yes there were calls: ${inWords(calls)}`),
      ...(await lure(scene, desk, allow)),
      // A no is told to the View's author.
      ...(await desk.trouble()).filter((line) => !line.includes("said no")),
    ];
  },
};

/**
 * A View asks when the mouse is already where "Allow" will be, and the user is clicking there. The
 * first click on the dialog that comes up must do nothing.
 */
async function lure(scene: EngineScene, desk: HostDesk, allow: Box): Promise<string[]> {
  await desk.page.evaluate(() => {
    const keep = ({ target }: Event): void => {
      const button = window.desk?.find("button.allow");
      const isHit = button && target === (button.getRootNode() as ShadowRoot).host;
      if (isHit) document.body.dataset.hit ??= button.ariaDisabled === "true" ? "early" : "late";
    };
    addEventListener("click", keep, true);
  }, null);
  for (let round = 0; round < LURES; round += 1) {
    const { length } = await desk.calls();
    await desk.page.evaluate(() => delete document.body.dataset.hit, null);
    await press(desk, "later");
    await desk.user.moveTo(allow);
    const click = async () => {
      await desk.user.press();
      return desk.page.evaluate(() => document.body.dataset.hit, null);
    };
    const hit = await watch(click, Boolean, 10_000);
    // A machine that is busy may be too slow; then the click was a yes, and there is another try.
    if (hit !== "early") continue;
    scene.notes.push("a click hit “Allow” before the dialog was armed");
    await sleep(200);
    const isOpen = (await desk.box("dialog")) !== undefined;
    const isCalled = (await desk.calls()).length > length;
    return unless(isOpen && !isCalled, "it answered a click before its time");
  }
  return [`${INCONCLUSIVE}no click was early enough`];
}

async function dialogText(desk: HostDesk): Promise<string> {
  await desk.settled("dialog");
  return desk.page.evaluate(() => window.desk?.find("dialog")?.textContent ?? "", null);
}

async function armed(desk: HostDesk): Promise<void> {
  const read = () =>
    desk.page.evaluate(() => window.desk?.find("button.allow")?.ariaDisabled === "false", null);
  if (!(await watch(read, Boolean, 10_000))) throw new Error("The dialog is never armed.");
}
