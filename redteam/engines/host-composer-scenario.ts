import { unless } from "../checks/check.ts";
import type { Scenario } from "./engine-scene.ts";
import { HostDriver } from "./host-driver.ts";
import { inWords, type Told, writerView } from "./host-views.ts";

const STEPS = [
  ["inline", undefined],
  ["fullscreen", "Full screen"],
  ["pip", "Picture in picture"],
] as const;

/** A product's composer at the bottom of its page, with a button that sends. */
function addComposer(): void {
  const form = document.createElement("form");
  form.id = "composer";
  Object.assign(form.style, { position: "fixed", inset: "auto 0 0", height: "90px" });
  const field = document.createElement("textarea");
  const send = document.createElement("button");
  send.textContent = "Send";
  form.append(field, send);
  form.onsubmit = (event) => {
    event.preventDefault();
    document.body.dataset.sent = `${document.body.dataset.sent ?? ""}${field.value};`;
    field.value = "";
  };
  document.body.append(form);
}

export const COMPOSER_SCENARIO: Scenario = {
  id: "host-composer",
  title: "the user can write and send a message while a View is inline, in full screen or floating",
  quick: true,
  async run(scene) {
    const hostDriver = await HostDriver.open(scene);
    await hostDriver.page.evaluate(addComposer, null);
    await hostDriver.show("writer", await writerView(), { input: {} });
    await hostDriver.stages("writer");
    for (const [mode, button] of STEPS) {
      if (button) await hostDriver.user.click(await hostDriver.settled("button", button));
      await hostDriver.said<Told>("writer", (all) => !button || all.at(-1)?.mode === mode);
      await hostDriver.settled("iframe");
      await hostDriver.user.goToField();
      await hostDriver.user.type(mode);
      const send = await hostDriver.page.evaluate(() => {
        const button = document.querySelector("#composer button") as HTMLElement;
        const { x, y, width, height } = button.getBoundingClientRect();
        return { x, y, width, height };
      }, null);
      await hostDriver.user.click(send);
    }
    const sent = await hostDriver.page.evaluate(() => document.body.dataset.sent, null);
    return [
      ...unless(sent === "inline;fullscreen;pip;", `these messages were sent: ${inWords(sent)}`),
      ...(await hostDriver.trouble()),
    ];
  },
};
