import { setTimeout as sleep } from "node:timers/promises";
import { INCONCLUSIVE, spoken, unless } from "../checks/check.ts";
import { scriptedView } from "../stage/view-document.ts";
import type { EngineScene, Scenario } from "./engine-scene.ts";
import { HostDriver } from "./host-driver.ts";
import { User } from "./host-user.ts";
import { AT, inWords, type Told, thiefView, writerView } from "./host-views.ts";

const TEXT = "twenty-five keys it shall";
const TRIES = 3;
// A page notices a lost focus with a delay; more keys than these aren't explained by it.
const MOST_LATE = 3;
const ENOUGH = 5;

export const FOCUS_SCENARIOS: readonly Scenario[] = [
  {
    id: "host-focus-guard",
    title: "a View that takes the focus gets none of 25 keys that are typed into the page",
    async run(scene) {
      let isClicked = false;
      let stolen = await typeUnguarded(scene, isClicked);
      if (stolen.length <= ENOUGH) {
        scene.notes.push("this engine lets no View take the focus in which the user has not acted");
        isClicked = true;
        stolen = await typeUnguarded(scene, isClicked);
      }
      scene.notes.push(
        `unguarded, a View${isClicked ? " that was clicked before" : ""} got ${stolen.length} of 25 keys`,
      );
      if (stolen.length <= ENOUGH) return [`${INCONCLUSIVE}nothing can be stolen here`];
      let complaints: string[] = [];
      for (let round = 0; round < TRIES; round += 1) {
        const { got, typed, trouble } = await typeGuarded(scene, isClicked);
        scene.notes.push(`guarded ${got.length}, and the page ${typed.length}`);
        complaints = [
          ...unless(got === "", `the thief got "${got}"`),
          // What comes while the focus is on its way may go to nobody.
          ...unless(typed.length >= TEXT.length - MOST_LATE, `the page got "${typed}"`),
          ...unless(trouble.includes("focus-theft"), `it was not stopped: ${trouble}`),
        ];
        if (complaints.length === 0 || got.length > MOST_LATE) break;
      }
      return complaints;
    },
  },
  {
    id: "host-focus-click",
    title: "a user who has just typed into the page clicks in a View and types there",
    async run(scene) {
      const hostDriver = await HostDriver.open(scene);
      await hostDriver.user.beginField();
      await hostDriver.show("writer", await writerView(), { input: {} });
      await hostDriver.stages("writer");
      const complaints: string[] = [];
      for (const [there, here] of [
        ["abc", "def"],
        ["ghi", "jkl"],
      ] as const) {
        await hostDriver.user.goToField();
        await hostDriver.user.type(there);
        await hostDriver.user.click(await hostDriver.settled("iframe"), AT.field);
        await hostDriver.user.type(here);
        const has = (all: readonly Told[]) => all.at(-1)?.value?.includes(here) ?? false;
        const said = await hostDriver.said<Told>("writer", has, 3000);
        complaints.push(...unless(has(said), `the View got ${inWords(said.at(-1))}`));
      }
      const typed = [...(await hostDriver.user.typed())].sort().join("");
      return [
        ...complaints,
        ...unless(typed === "abcghi", `the page got ${typed}`),
        ...(await hostDriver.trouble()),
      ];
    },
  },
];

async function typeGuarded(
  scene: EngineScene,
  isClicked: boolean,
): Promise<{ got: string; typed: string; trouble: string }> {
  const hostDriver = await HostDriver.open(scene);
  await hostDriver.user.beginField();
  await hostDriver.show("thief", await thiefView(), { input: {} });
  await hostDriver.stages("thief");
  if (isClicked) await hostDriver.user.click(await hostDriver.settled("iframe"), AT.field);
  await hostDriver.user.goToField();
  await hostDriver.user.type(TEXT, 100);
  await sleep(300);
  const said = await hostDriver.said<Told>("thief");
  const trouble = (await hostDriver.diagnostics()).filter((line) => !line.startsWith("info"));
  return {
    got: said.at(-1)?.value ?? "",
    typed: await hostDriver.user.typed(),
    trouble: trouble.join(),
  };
}

/** Control: what a View gets of the same keys where nobody guards them. */
async function typeUnguarded(scene: EngineScene, isClicked: boolean): Promise<string> {
  const html = scriptedView(() => {
    const field = document.createElement("input");
    field.style.cssText = "position:absolute;inset:0 auto auto 0;width:300px;height:30px";
    document.body.append(field);
    field.oninput = () => say({ value: field.value });
    const steal = () => {
      window.focus();
      field.focus();
    };
    setInterval(steal, 300);
    say("ready");
  });
  const host = await scene.open([{ name: "view", server: "thief", html }]);
  await host.until((log) => spoken(log).length > 0);
  const user = new User(host.page);
  await user.beginField();
  if (isClicked) {
    const box = await host.page.evaluate(() => {
      const { x, y, width, height } = (
        window.redteam.frames.view as HTMLIFrameElement
      ).getBoundingClientRect();
      return { x, y, width, height };
    }, null);
    await user.click(box, AT.field);
    await user.goToField();
  }
  await user.type(TEXT, 100);
  await sleep(300);
  const said = spoken(await host.log()) as Told[];
  return said.at(-1)?.value ?? "";
}
