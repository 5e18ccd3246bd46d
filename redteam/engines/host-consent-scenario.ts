import { setTimeout as sleep } from "node:timers/promises";
import { INCONCLUSIVE, unless } from "../checks/check.ts";
import type { EngineScene, Scenario } from "./engine-scene.ts";
import { HostDriver } from "./host-driver.ts";
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
    const hostDriver = await HostDriver.open(scene);
    await hostDriver.show("caller", await callerView(), { input: {} });
    await hostDriver.stages("caller");
    await press(hostDriver, "write");
    const text = await dialogText(hostDriver);
    await armed(hostDriver);
    const allow = await hostDriver.settled("button.allow");
    await hostDriver.user.click(await hostDriver.settled("button.deny"));
    const denied = await hostDriver.said<Told>("caller", (all) =>
      all.some(({ refused }) => refused),
    );
    const none = await hostDriver.calls();
    await press(hostDriver, "write");
    await armed(hostDriver);
    await hostDriver.user.click(await hostDriver.settled("button.allow"));
    const allowed = await hostDriver.said<Told>("caller", (all) =>
      all.some(({ answer }) => answer),
    );
    const calls = await hostDriver.calls();
    return [
      ...unless(
        text.includes("write") && text.includes("weather.example") && text.includes("Oslo"),
        `the dialog reads ${inWords(text)}`,
      ),
      ...unless(
        denied.at(-1)?.refused,
        `after a rejection the View received ${inWords(denied.at(-1))}`,
      ),
      ...unless(none.length === 0, `after a no the tool was called: ${inWords(none)}`),
      ...unless(
        allowed.at(-1)?.answer,
        `after consent the View received ${inWords(allowed.at(-1))}`,
      ),
      ...unless(calls.length === 1, `after a yes there were calls: ${inWords(calls)}`),
      ...(await lure(scene, hostDriver, allow)),
      // A refusal is reported to the view's author.
      ...(await hostDriver.trouble()).filter((line) => !line.includes("declined")),
    ];
  },
};

/**
 * A View asks when the mouse is already where "Allow" will be, and the user is clicking there. The
 * first click on the dialog that comes up must do nothing.
 */
async function lure(scene: EngineScene, hostDriver: HostDriver, allow: Box): Promise<string[]> {
  await hostDriver.page.evaluate(() => {
    const keep = ({ target }: Event): void => {
      const button = window.hostDriver?.find("button.allow");
      const isHit = button && target === (button.getRootNode() as ShadowRoot).host;
      if (isHit) document.body.dataset.hit ??= button.ariaDisabled === "true" ? "early" : "late";
    };
    addEventListener("click", keep, true);
  }, null);
  for (let round = 0; round < LURES; round += 1) {
    const { length } = await hostDriver.calls();
    await hostDriver.page.evaluate(() => delete document.body.dataset.hit, null);
    await press(hostDriver, "later");
    await hostDriver.user.moveTo(allow);
    const click = async () => {
      await hostDriver.user.press();
      return hostDriver.page.evaluate(() => document.body.dataset.hit, null);
    };
    const hit = await watch(click, Boolean, 10_000);
    // A machine that is busy may be too slow; then the click was a yes, and there is another try.
    if (hit !== "early") continue;
    scene.notes.push("a click hit “Allow” before the dialog was armed");
    await sleep(200);
    const isOpen = (await hostDriver.box("dialog")) !== undefined;
    const isCalled = (await hostDriver.calls()).length > length;
    return unless(isOpen && !isCalled, "it answered a click before its time");
  }
  return [`${INCONCLUSIVE}no click was early enough`];
}

async function dialogText(hostDriver: HostDriver): Promise<string> {
  await hostDriver.settled("dialog");
  return hostDriver.page.evaluate(() => window.hostDriver?.find("dialog")?.textContent ?? "", null);
}

async function armed(hostDriver: HostDriver): Promise<void> {
  const read = () =>
    hostDriver.page.evaluate(
      () => window.hostDriver?.find("button.allow")?.ariaDisabled === "false",
      null,
    );
  if (!(await watch(read, Boolean, 10_000))) throw new Error("The dialog is never armed.");
}
