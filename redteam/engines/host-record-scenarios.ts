import { setTimeout as sleep } from "node:timers/promises";
import { unless } from "../checks/check.ts";
import type { EngineScene, Scenario } from "./engine-scene.ts";
import { HostDriver, viewOn } from "./host-driver.ts";
import { inWords, same } from "./host-views.ts";

const RAIN = { content: [{ type: "text" as const, text: "rain" }], _meta: { station: 7 } };
// Where a View does not live on when it is moved, there has to be a reason.
const LIVES_ON: readonly string[] = ["chromium"];

/** A View that keeps state, and a mark that shows whether its document was loaded again. */
const keeper = () =>
  viewOn((app, say) => {
    const mark = Math.random();
    const tell = () => say({ mark, state: app.state.get() ?? null });
    app.onhostcontextchanged = tell;
    app.ontoolinput = ({ arguments: input }) => say({ input });
    app.ontoolinputpartial = ({ arguments: { page } = {} }) => {
      if (page !== undefined) app.state.set({ page });
      tell();
    };
    app.ontoolresult = ({ content, _meta }) => {
      say({ result: { content, _meta } });
      tell();
    };
  });

interface Kept {
  readonly mark?: number;
  readonly state?: unknown;
  readonly input?: unknown;
  readonly result?: unknown;
}

/** What becomes of a View whose place goes away. */
export const RECORD_SCENARIOS: readonly Scenario[] = [
  {
    id: "host-rehydration",
    title: "after a reload of the page a View has its input, its result and its state back",
    quick: true,
    async run(scene) {
      const hostDriver = await openKeeper(scene);
      const before = await hostDriver.said<Kept>("kept");
      await hostDriver.reload();
      await hostDriver.show("kept", await keeper());
      const after = await hostDriver.said<Kept>("kept", hasResult);
      return [
        ...broughtBack(after),
        ...unless(last(after)?.mark !== last(before)?.mark, "it is the same document"),
        ...(await hostDriver.trouble()),
      ];
    },
  },
  {
    id: "host-torn-out",
    title: "a View that was torn out of the page comes back in another place from its record",
    async run(scene) {
      const hostDriver = await openKeeper(scene);
      const { before, after } = await putElsewhere(hostDriver, () => {
        const first = document.getElementById("first") as HTMLElement;
        first.remove();
        window.hostDriver?.host.views.get("kept")?.detach(first);
      });
      return [
        ...unless(last(after)?.mark !== before, "it is the same document"),
        ...broughtBack(after),
        ...(await hostDriver.trouble()),
      ];
    },
  },
  {
    id: "host-remount",
    title: "a View that is given another place lives on in the same document",
    async run(scene) {
      const hostDriver = await openKeeper(scene);
      const { before, after } = await putElsewhere(hostDriver, () => {
        const first = document.getElementById("first") as HTMLElement;
        window.hostDriver?.host.views.get("kept")?.detach(first);
        first.remove();
      });
      if (last(after)?.mark === before) return hostDriver.trouble();
      if (LIVES_ON.includes(scene.engine.name)) return ["it was loaded again"];
      const hasMethod = await hostDriver.page.evaluate(
        () => "moveBefore" in Element.prototype,
        null,
      );
      const reason = hasMethod
        ? "its Element.moveBefore reloads frames inside a shadow root"
        : "it has no Element.moveBefore";
      const complaints = [...broughtBack(after), ...(await hostDriver.trouble())];
      scene.lacks.push(
        `${reason}; the View ${complaints.length === 0 ? "comes" : "does not come"} back from its record`,
      );
      return complaints;
    },
  },
];

/** A page with a View that has state and a result. */
async function openKeeper(scene: EngineScene): Promise<HostDriver> {
  const hostDriver = await HostDriver.open(scene);
  await hostDriver.show("kept", await keeper(), { partialInput: { page: 3 } }, "first");
  await hostDriver.said<Kept>("kept", hasState);
  await hostDriver.update("kept", { input: { city: "Oslo" }, result: RAIN });
  const said = await hostDriver.said<Kept>("kept", hasResult);
  if (!hasResult(said)) throw new Error(`It received ${inWords(said)}.`);
  await sleep(300);
  return hostDriver;
}

/** Its mark before a step, and what it said since, asked in its new place how it is. */
async function putElsewhere(
  hostDriver: HostDriver,
  step: () => void,
): Promise<{ before: number | undefined; after: Kept[] }> {
  const said = await hostDriver.said<Kept>("kept");
  await hostDriver.page.evaluate(step, null);
  await hostDriver.show("kept", await keeper(), {}, "second");
  await sleep(1000);
  await hostDriver.stages("kept");
  const { length } = await hostDriver.said("kept");
  await hostDriver.page.evaluate(() => window.hostDriver?.host.setContext({ locale: "nb" }), null);
  const all = await hostDriver.said<Kept>("kept", (lines) => lines.length > length);
  return { before: last(said)?.mark, after: all.slice(said.length) };
}

function broughtBack(said: readonly Kept[]): string[] {
  const found = (name: keyof Kept) => said.find((line) => line[name] !== undefined)?.[name];
  return [
    ...unless(same(found("input"), { city: "Oslo" }), `its input is ${inWords(found("input"))}`),
    ...unless(same(found("result"), RAIN), `its result is ${inWords(found("result"))}`),
    ...unless(same(last(said)?.state, { page: 3 }), `its state is ${inWords(last(said)?.state)}`),
  ];
}

function hasState(said: readonly Kept[]): boolean {
  return said.some(({ state }) => Boolean(state));
}

function hasResult(said: readonly Kept[]): boolean {
  const at = said.findIndex(({ result }) => result);
  return at >= 0 && said.slice(at).some(({ mark }) => mark !== undefined);
}

/** The last line with a mark. */
function last(said: readonly Kept[]): Kept | undefined {
  return said.findLast(({ mark }) => mark !== undefined);
}
