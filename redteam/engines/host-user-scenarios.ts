import { INCONCLUSIVE, unless } from "../checks/check.ts";
import type { EngineScene, Scenario } from "./engine-scene.ts";
import { CONSENT_SCENARIO } from "./host-consent-scenario.ts";
import { HostDesk } from "./host-desk.ts";
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
      const desk = await HostDesk.open(scene);
      await desk.show("caller", await callerView(), { input: {} });
      await desk.stages("caller");
      await press(desk, "look");
      const said = await desk.said<Told>("caller", (all) => all.some(({ answer }) => answer));
      const calls = await desk.calls();
      const wanted = [{ name: "look", arguments: { city: "Oslo" } }];
      return [
        ...unless(said[0]?.clicked === "look", `the View saw ${inWords(said[0])}`),
        ...unless(same(calls, wanted), `calls of tools: ${inWords(calls)}`),
        ...unless(
          same(said.at(-1), { answer: [{ type: "text", text: "look done" }] }),
          `the View was answered ${inWords(said.at(-1))}`,
        ),
        ...(await desk.trouble()),
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
  CONSENT_SCENARIO,
  ...FOCUS_SCENARIOS,
];

async function changeModes(scene: EngineScene): Promise<string[]> {
  const desk = await HostDesk.open(scene);
  await desk.show("writer", await writerView(), { input: {} });
  await desk.stages("writer");
  const start = await desk.settled("iframe");
  await desk.user.click(start, AT.field);
  await desk.user.type("half");
  const typed = await desk.said<Told>("writer", (all) => all.at(-1)?.value === "half");
  if (typed.at(-1)?.value !== "half") {
    return [`${INCONCLUSIVE}the user could not type: ${inWords(typed)}`];
  }
  const view = await desk.page.evaluate(() => ({ width: innerWidth, height: innerHeight }), null);
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
    await desk.user.click(await desk.settled("button", button));
    const said = await desk.said<Told>("writer", (all) => all.at(-1)?.mode === mode);
    const box = await desk.settled("iframe");
    complaints.push(
      ...unless(said.at(-1)?.mode === mode, `${mode}: the View knows of ${said.at(-1)?.mode}`),
      ...unless(said.at(-1)?.value === "half", `${mode}: the field has "${said.at(-1)?.value}"`),
      ...unless(isPlaced(box), `${mode}: it is at ${inWords(box)}`),
    );
  }
  const marks = new Set((await desk.said<Told>("writer")).map(({ mark }) => mark));
  return [
    ...complaints,
    ...unless(marks.size === 1, `there were ${marks.size} documents`),
    ...(await desk.trouble()),
  ];
}
