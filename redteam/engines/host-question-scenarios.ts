import { setTimeout as sleep } from "node:timers/promises";
import { unless, unlessTried } from "../checks/check.ts";
import type { EngineScene, Scenario } from "./engine-scene.ts";
import { HostDriver, viewOn } from "./host-driver.ts";
import { inWords, press } from "./host-views.ts";
import { watch } from "./patience.ts";

const BUTTON = `<style>body{margin:0}button{display:block;width:200px;height:150px}</style><button>write</button>`;

/** The Host's question against a View that wants another answer than the user gives. */
export const QUESTION_SCENARIOS: readonly Scenario[] = [
  {
    id: "host-question-swap",
    title: "S36: a withdrawn question closes visibly, and a click for it allows no other call",
    async run(scene) {
      const hostDriver = await openCaller(scene, () => {
        send("first", { to: "Grocery" });
        send("second", { to: "Mallory" });
        setTimeout(cancel, 2500, "first");
      });
      await press(hostDriver, "write");
      const shown = await readDialog(hostDriver, (text) => text.includes("Grocery"));
      const allow = await hostDriver.settled("button.allow");
      await hostDriver.user.moveTo(allow);
      const between = await readDialog(hostDriver, (text) => !text.includes("Grocery"));
      // Longer than "Allow" takes to arm: the user presses what they have read.
      await sleep(900);
      await hostDriver.user.press();
      await sleep(700);
      await hostDriver.user.press();
      await sleep(500);
      const calls = await hostDriver.calls();
      return [
        ...unlessTried(shown.includes("Grocery"), `the first question reads ${inWords(shown)}`),
        ...unless(between.includes("withdrew"), `after the withdrawal: ${inWords(between)}`),
        ...unless(calls.length === 0, `the click allowed ${inWords(calls)}`),
      ];
    },
  },
  {
    id: "host-question-fold",
    title: "S40: Allow waits until all of a long request was in sight",
    async run(scene) {
      const hostDriver = await openCaller(scene, () => {
        const lines = Array.from({ length: 80 }, (_, line) => [`line${line}`, "ok"]);
        send("long", { ...Object.fromEntries(lines), to: "Mallory" });
      });
      await press(hostDriver, "write");
      const shown = await readDialog(hostDriver, (text) => text.includes("Mallory"));
      await sleep(1500);
      await hostDriver.user.click(await hostDriver.settled("button.allow"));
      await sleep(500);
      const calls = await hostDriver.calls();
      return [
        ...unlessTried(shown.includes("Mallory"), `the question reads ${inWords(shown)}`),
        ...unless(calls.length === 0, "allowed while a part was below the fold"),
      ];
    },
  },
  {
    id: "host-question-alone",
    title:
      "S39: hides Views while a question is open, which closes their pickers, and shows them again",
    async run(scene) {
      const hostDriver = await openCaller(scene, () => send("one", { to: "Grocery" }));
      const before = await hostDriver.settled("iframe");
      await press(hostDriver, "write");
      const shown = await readDialog(hostDriver, (text) => text.includes("Grocery"));
      const during = await frameArea(hostDriver);
      await hostDriver.user.click(await hostDriver.settled("button.deny"));
      const after = await watch(
        () => frameArea(hostDriver),
        (area) => area > 0,
      );
      return [
        ...unlessTried(before.width > 0, "the View was not shown"),
        ...unlessTried(shown.includes("Grocery"), `the question reads ${inWords(shown)}`),
        ...unless(during === 0, `${during} pixels of the View were drawn behind the question`),
        ...unless(after > 0, "the View did not come back"),
      ];
    },
  },
  {
    id: "host-question-inline",
    title: "asks about a link in the page, and accepts Allow after the question was in sight",
    async run(scene) {
      const hostDriver = await openCaller(scene, () => openLink("https://shop.example/mallory"));
      await press(hostDriver, "write");
      const read = () =>
        hostDriver.page.evaluate(() => {
          const allow = window.hostDriver?.find("button.allow");
          const panel = window.hostDriver?.find(".inline");
          return { text: panel?.textContent ?? "", isArmed: allow?.ariaDisabled === "false" };
        }, null);
      const first = await watch(read, ({ text }) => text.includes("mallory"));
      const drawn = await frameArea(hostDriver);
      const later = await watch(read, ({ isArmed }) => isArmed);
      await hostDriver.user.click(await hostDriver.settled("button.deny"));
      const after = await watch(
        () => frameArea(hostDriver),
        (area) => area > 0,
      );
      return [
        ...unless(first.text.includes("mallory"), `the question reads ${inWords(first.text)}`),
        ...unless(drawn === 0, `${drawn} pixels of the View were drawn with its question`),
        ...unless(later.isArmed, "Allow never works"),
        ...unless(after > 0, "the View did not come back"),
      ];
    },
  },
  {
    id: "host-question-nagging",
    title: "S41: a View that asks in a loop gets two questions without a click",
    async run(scene) {
      const hostDriver = await openCaller(
        scene,
        () => {},
        () => {
          let number = 0;
          setInterval(() => {
            number += 1;
            send(`nag${number}`, { number: `question-${number}` });
          }, 300);
        },
      );
      const questions = new Set<string>();
      const end = performance.now() + 6000;
      while (performance.now() < end) {
        const number = /question-\d+/.exec(await dialogText(hostDriver))?.[0];
        const deny = number && (await hostDriver.box("button.deny"));
        if (number) questions.add(number);
        if (deny) await hostDriver.user.click(deny);
        else await sleep(100);
      }
      const calls = await hostDriver.calls();
      return [
        ...unlessTried(questions.size > 0, "it did not ask"),
        ...unless(questions.size <= 2, `${questions.size} questions in 6 s without a click`),
        ...unless(calls.length === 0, `calls: ${inWords(calls)}`),
      ];
    },
  },
];

declare function send(id: string, parameters: object): void;
declare function cancel(id: string): void;
declare function openLink(url: string): void;

/** Shows a View that runs one program when its button is clicked and another when it starts. */
async function openCaller(
  scene: EngineScene,
  onClick: () => void,
  onStart: () => void = () => {},
): Promise<HostDriver> {
  const hostDriver = await HostDriver.open(scene);
  const html = await viewOn((_app, say) => {
    const post = (message: object) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
    Object.assign(globalThis, {
      send: (id: string, parameters: object) =>
        post({ id, method: "tools/call", params: { name: "write", arguments: parameters } }),
      openLink: (url: string) => post({ id: url, method: "ui/open-link", params: { url } }),
      cancel: (requestId: string) =>
        post({ method: "notifications/cancelled", params: { requestId } }),
    });
    const { onClick, onStart } = globalThis as unknown as Record<string, () => void>;
    document.querySelector("button")?.addEventListener("click", () => {
      say({ clicked: "write" });
      onClick?.();
    });
    onStart?.();
  }, `${BUTTON}<script>globalThis.onClick=${onClick};globalThis.onStart=${onStart}</script>`);
  await hostDriver.show("caller", html, { input: {} });
  await hostDriver.stages("caller");
  return hostDriver;
}

function frameArea(hostDriver: HostDriver): Promise<number> {
  return hostDriver.page.evaluate(() => {
    const box = window.hostDriver?.find("iframe")?.getBoundingClientRect();
    return box ? box.width * box.height : 0;
  }, null);
}

function dialogText(hostDriver: HostDriver): Promise<string> {
  return hostDriver.page.evaluate(() => window.hostDriver?.find("dialog")?.textContent ?? "", null);
}

function readDialog(hostDriver: HostDriver, enough: (text: string) => boolean): Promise<string> {
  return watch(() => dialogText(hostDriver), enough);
}
