import { INCONCLUSIVE, unless } from "../checks/check.ts";
import type { EngineScene, Scenario } from "./engine-scene.ts";
import { COMPOSER_SCENARIO } from "./host-composer-scenario.ts";
import { CONSENT_SCENARIO } from "./host-consent-scenario.ts";
import { HostDriver } from "./host-driver.ts";
import { FOCUS_SCENARIOS } from "./host-focus-scenarios.ts";
import type { Box } from "./host-user.ts";
import { AT, callerView, inWords, press, same, type Told, writerView } from "./host-views.ts";

/** What only somebody with a mouse and a keyboard can show. */
export const HOST_USER_SCENARIOS: readonly Scenario[] = [
  {
    id: "host-tool-call",
    title: "a click of the user in a View calls a tool of its Server, and the View has the answer",
    quick: true,
    async run(scene) {
      const hostDriver = await HostDriver.open(scene);
      await hostDriver.show("caller", await callerView(), { input: {} });
      await hostDriver.stages("caller");
      await press(hostDriver, "look");
      const said = await hostDriver.said<Told>("caller", (all) => all.some(({ answer }) => answer));
      const calls = await hostDriver.calls();
      const wanted = [{ name: "look", arguments: { city: "Oslo" } }];
      return [
        ...unless(said[0]?.clicked === "look", `the View saw ${inWords(said[0])}`),
        ...unless(same(calls, wanted), `calls of tools: ${inWords(calls)}`),
        ...unless(
          same(said.at(-1), { answer: [{ type: "text", text: "look done" }] }),
          `the View was answered ${inWords(said.at(-1))}`,
        ),
        ...(await hostDriver.trouble()),
      ];
    },
  },
  {
    id: "host-display-modes",
    title:
      "a half-filled field survives full screen, picture in picture and the way back, in the same document",
    quick: true,
    run: changeModes,
  },
  COMPOSER_SCENARIO,
  CONSENT_SCENARIO,
  ...FOCUS_SCENARIOS,
];

async function changeModes(scene: EngineScene): Promise<string[]> {
  const hostDriver = await HostDriver.open(scene);
  await hostDriver.show("writer", await writerView(), { input: {} });
  await hostDriver.stages("writer");
  const start = await hostDriver.settled("iframe");
  await hostDriver.user.click(start, AT.field);
  await hostDriver.user.type("half");
  const typed = await hostDriver.said<Told>("writer", (all) => all.at(-1)?.value === "half");
  if (typed.at(-1)?.value !== "half") {
    return [`${INCONCLUSIVE}the user could not type: ${inWords(typed)}`];
  }
  const view = await hostDriver.page.evaluate(
    () => ({ width: innerWidth, height: innerHeight }),
    null,
  );
  const steps: [mode: string, button: string, isPlaced: (box: Box) => boolean][] = [
    [
      "fullscreen",
      "Full screen",
      ({ width, height }) => width === view.width && height > view.height - 60,
    ],
    ["pip", "Picture in picture", ({ x, width }) => width <= 400 && x + width > view.width - 40],
    ["inline", "Back to the page", (box) => same(box, start)],
  ];
  const complaints: string[] = [];
  for (const [mode, button, isPlaced] of steps) {
    await hostDriver.user.click(await hostDriver.settled("button", button));
    const said = await hostDriver.said<Told>("writer", (all) => all.at(-1)?.mode === mode);
    const box = await hostDriver.settled("iframe");
    complaints.push(
      ...unless(said.at(-1)?.mode === mode, `${mode}: the View has ${said.at(-1)?.mode}`),
      ...unless(said.at(-1)?.value === "half", `${mode}: the field has "${said.at(-1)?.value}"`),
      ...unless(isPlaced(box), `${mode}: it is at ${inWords(box)}`),
    );
  }
  const marks = new Set((await hostDriver.said<Told>("writer")).map(({ mark }) => mark));
  return [
    ...complaints,
    ...unless(marks.size === 1, `there were ${marks.size} documents`),
    ...(await hostDriver.trouble()),
  ];
}
