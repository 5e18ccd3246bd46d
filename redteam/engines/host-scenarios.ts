import { setTimeout as sleep } from "node:timers/promises";
import { unless } from "../checks/check.ts";
import type { Scenario } from "./engine-scene.ts";
import { HostDriver, viewOn } from "./host-driver.ts";
import { ENDING_SCENARIOS } from "./host-ending-scenarios.ts";
import { QUESTION_SCENARIOS } from "./host-question-scenarios.ts";
import { RECORD_SCENARIOS } from "./host-record-scenarios.ts";
import { HOST_USER_SCENARIOS } from "./host-user-scenarios.ts";
import { inWords, same } from "./host-views.ts";
import { LINK_SCENARIO } from "./link-scenario.ts";
import { watch } from "./patience.ts";

const RAIN = { content: [{ type: "text" as const, text: "rain" }], _meta: { station: 7 } };
const STAGES = ["sandbox", "initialize", "initialized", "shown"];

/** Reports everything that a View receives about its tool call. */
const listener = () =>
  viewOn((app, say) => {
    app.ontoolinputpartial = ({ arguments: partial }) => say({ partial });
    app.ontoolinput = ({ arguments: input }) => say({ input });
    app.ontoolresult = ({ content, _meta }) => say({ result: { content, _meta } });
    app.ontoolcancelled = ({ reason }) => say({ cancelled: reason });
  });

/** The real Host in a page, from handshake to reload. */
export const HOST_SCENARIOS: readonly Scenario[] = [
  {
    id: "host-handshake",
    title: "createHost brings a View on our SDK from its resource to `shown`",
    quick: true,
    async run(scene) {
      const hostDriver = await HostDriver.open(scene);
      const html = await viewOn((app, say) => {
        app.ontoolinput = () => say("connected");
      });
      await hostDriver.show("greeter", html, { input: {} });
      const stages = await hostDriver.stages("greeter");
      const said = await hostDriver.said<string>("greeter", (lines) => lines.length > 0);
      const box = await hostDriver.box("iframe");
      return [
        ...unless(
          same(
            STAGES.filter((stage) => stages.includes(stage)),
            STAGES,
          ),
          `it came through ${stages.join()}`,
        ),
        ...unless(stages.at(-1) === "shown", `it stayed at ${stages.at(-1)}`),
        ...unless(said.includes("connected"), "the View isn't connected"),
        ...unless((box?.height ?? 0) > 0 && (box?.width ?? 0) > 100, `it has ${inWords(box)}`),
        ...(await hostDriver.trouble()),
      ];
    },
  },
  {
    id: "host-tool-data",
    title: "a View receives partial inputs, input, result and cancellation, in this order",
    quick: true,
    async run(scene) {
      const hostDriver = await HostDriver.open(scene);
      const html = await listener();
      // Before the handshake: held until it may be sent (HST-42).
      await hostDriver.show("data", html, { partialInput: { city: "O" } });
      for (const [at, city] of ["Os", "Osl"].entries()) {
        await hostDriver.said("data", (lines) => lines.length > at);
        await hostDriver.update("data", { partialInput: { city } });
      }
      await hostDriver.said("data", (lines) => lines.length > 2);
      await hostDriver.update("data", { input: { city: "Oslo" } });
      await hostDriver.update("data", { result: RAIN });
      const told = await hostDriver.said("data", (lines) => lines.length > 4);
      const wanted = [
        ...["O", "Os", "Osl"].map((city) => ({ partial: { city } })),
        { input: { city: "Oslo" } },
        { result: RAIN },
      ];
      await hostDriver.show("stopped", html, { input: { city: "Oslo" }, cancelled: "by the user" });
      const stopped = await hostDriver.said("stopped", (lines) => lines.length > 1);
      const end = [{ input: { city: "Oslo" } }, { cancelled: "by the user" }];
      return [
        ...unless(same(told, wanted), `it received ${inWords(told)}`),
        ...unless(same(stopped, end), `the cancelled one received ${inWords(stopped)}`),
        ...(await hostDriver.trouble()),
      ];
    },
  },
  {
    id: "host-resize",
    title: "a View's frame grows and shrinks with its content, and comes to rest",
    async run(scene) {
      const hostDriver = await HostDriver.open(scene);
      const html = await viewOn((app) => {
        app.ontoolinputpartial = ({ arguments: { height } = {} }) => {
          const box = document.querySelector("p") as HTMLElement;
          box.style.height = `${height}px`;
        };
      }, `<style>body{margin:0}p{margin:0;background:teal}</style><p>`);
      await hostDriver.show("sized", html);
      await hostDriver.stages("sized");
      const complaints: string[] = [];
      for (const height of [120, 420, 640, 200]) {
        await hostDriver.update("sized", { partialInput: { height } });
        const isFit = (found: number) => found >= height && found <= height + 4;
        const read = async () => (await hostDriver.box("iframe"))?.height ?? 0;
        const found = await watch(read, isFit, 20_000);
        complaints.push(...unless(isFit(found), `${height} of content has ${found}`));
        const later: number[] = [];
        for (let round = 0; round < 8; round += 1) {
          await sleep(100);
          later.push(await read());
        }
        const isAtRest = later.every((one) => one === found);
        complaints.push(...unless(isAtRest, `after ${height} it goes on: ${later.join()}`));
      }
      return [...complaints, ...(await hostDriver.trouble())];
    },
  },
  ...RECORD_SCENARIOS,
  ...HOST_USER_SCENARIOS,
  ...QUESTION_SCENARIOS,
  ...ENDING_SCENARIOS,
  LINK_SCENARIO,
];
