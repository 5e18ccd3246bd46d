import { setTimeout as sleep } from "node:timers/promises";
import { unless } from "../checks/check.ts";
import type { Scenario } from "./engine-scene.ts";
import { HostDesk, viewOn } from "./host-desk.ts";
import { RECORD_SCENARIOS } from "./host-record-scenarios.ts";
import { HOST_USER_SCENARIOS } from "./host-user-scenarios.ts";
import { inWords, same } from "./host-views.ts";
import { watch } from "./patience.ts";

const RAIN = { content: [{ type: "text" as const, text: "rain" }], _meta: { station: 7 } };
const STAGES = ["sandbox", "initialize", "initialized", "shown"];

/** Tells everything that a View is told of its tool call. */
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
      const desk = await HostDesk.open(scene);
      const html = await viewOn((app, say) => {
        app.ontoolinput = () => say("connected");
      });
      await desk.show("greeter", html, { input: {} });
      const stages = await desk.stages("greeter");
      const said = await desk.said<string>("greeter", (lines) => lines.length > 0);
      const box = await desk.box("iframe");
      return [
        ...unless(
          same(
            STAGES.filter((stage) => stages.includes(stage)),
            STAGES,
          ),
          `it came through ${stages.join()}`,
        ),
        ...unless(stages.at(-1) === "shown", `it stayed at ${stages.at(-1)}`),
        ...unless(said.includes("connected"), "the View does not know of it"),
        ...unless((box?.height ?? 0) > 0 && (box?.width ?? 0) > 100, `it has ${inWords(box)}`),
        ...(await desk.trouble()),
      ];
    },
  },
  {
    id: "host-tool-data",
    title: "a View is told partial inputs, input, result and cancellation, in this order",
    quick: true,
    async run(scene) {
      const desk = await HostDesk.open(scene);
      const html = await listener();
      // Before it has said a word: held until it may be told (HST-42).
      await desk.show("data", html, { partialInput: { city: "O" } });
      for (const [at, city] of ["Os", "Osl"].entries()) {
        await desk.said("data", (lines) => lines.length > at);
        await desk.update("data", { partialInput: { city } });
      }
      await desk.said("data", (lines) => lines.length > 2);
      await desk.update("data", { input: { city: "Oslo" } });
      await desk.update("data", { result: RAIN });
      const told = await desk.said("data", (lines) => lines.length > 4);
      const wanted = [
        ...["O", "Os", "Osl"].map((city) => ({ partial: { city } })),
        { input: { city: "Oslo" } },
        { result: RAIN },
      ];
      await desk.show("stopped", html, { input: { city: "Oslo" }, cancelled: "by the user" });
      const stopped = await desk.said("stopped", (lines) => lines.length > 1);
      const end = [{ input: { city: "Oslo" } }, { cancelled: "by the user" }];
      return [
        ...unless(same(told, wanted), `it was told ${inWords(told)}`),
        ...unless(same(stopped, end), `the cancelled one was told ${inWords(stopped)}`),
        ...(await desk.trouble()),
      ];
    },
  },
  {
    id: "host-resize",
    title: "a View's frame grows and shrinks with its content, and comes to rest",
    async run(scene) {
      const desk = await HostDesk.open(scene);
      const html = await viewOn((app) => {
        app.ontoolinputpartial = ({ arguments: { height } = {} }) => {
          const box = document.querySelector("p") as HTMLElement;
          box.style.height = `${height}px`;
        };
      }, `<style>body{margin:0}p{margin:0;background:teal}</style><p>`);
      await desk.show("sized", html);
      await desk.stages("sized");
      const complaints: string[] = [];
      for (const height of [120, 420, 640, 200]) {
        await desk.update("sized", { partialInput: { height } });
        const isFit = (found: number) => found >= height && found <= height + 4;
        const read = async () => (await desk.box("iframe"))?.height ?? 0;
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
      return [...complaints, ...(await desk.trouble())];
    },
  },
  ...RECORD_SCENARIOS,
  ...HOST_USER_SCENARIOS,
];
