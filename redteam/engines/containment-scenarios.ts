import { hasSaid, INCONCLUSIVE, spoken, unless, unlessTried } from "../checks/check.ts";
import { ISOLATION_CHECKS } from "../checks/isolation-checks.ts";
import { scriptedView } from "../stage/view-document.ts";
import type { EngineHost, EngineScene, Scenario } from "./engine-scene.ts";
import { watch } from "./patience.ts";

/** What a view cannot reach, and how it ends when it tries. */
export const CONTAINMENT_SCENARIOS: readonly Scenario[] = [
  ...["host-secrets", "no-service-worker"].map(fromSuite),
  {
    id: "navigation",
    title: "a view that leads its frame away is stopped with the reason, and no request leaves",
    quick: true,
    async run(scene) {
      const trap = await scene.trap();
      const html = scriptedView((url: string) => {
        say("leaving");
        setTimeout(() => location.assign(url), 100);
      }, `${trap.base}/c?secret=1`);
      const host = await scene.open([{ name: "view", server: "leaver", html }]);
      await host.until((log) => hasSaid(log, "leaving"));
      const complaints = await stopped(scene, host, "navigation", "tried to navigate");
      const caught = trap.caught();
      scene.notes.push(`arrived at the attacker: ${caught.join("; ") || "nothing"}`);
      return [
        ...complaints,
        ...unless(!caught.some((text) => text.startsWith("http")), `left: ${caught.join()}`),
      ];
    },
  },
  {
    id: "flood",
    title: "a view that floods the host is stopped with the reason",
    async run(scene) {
      const html = scriptedView(() => {
        const flood = () => {
          for (let at = 0; at < 100; at += 1) say("flood");
        };
        setInterval(flood, 50);
      });
      const host = await scene.open([{ name: "view", server: "flooder", html }]);
      return stopped(scene, host, "flood", "too many messages");
    },
  },
  {
    id: "kill-switch",
    title: "the host's kill switch stops the view, which then sends nothing, and shows a notice",
    quick: true,
    async run(scene) {
      const html = scriptedView(() => void setInterval(say, 50, "alive"));
      const host = await scene.open([{ name: "view", server: "talker", html }]);
      const before = await host.until((log) => hasSaid(log, "alive"));
      await host.page.evaluate(() => window.redteam.ports.view?.postMessage({ close: true }), null);
      const complaints = await stopped(scene, host, "closed", "host closed it");
      const log = await host.log();
      const end = log.findIndex(({ killed }) => killed);
      return [
        ...unlessTried(hasSaid(before, "alive"), "the view did not run"),
        ...complaints,
        ...unless(!hasSaid(log.slice(end), "alive"), "the view sent a message after its end"),
      ];
    },
  },
  {
    id: "one-use",
    title: "a view cannot load its document a second time",
    async run(scene) {
      const html = scriptedView(() => {
        say("started");
        setTimeout(() => location.reload(), 150);
      });
      const host = await scene.open([{ name: "view", server: "reloader", html }]);
      await host.until((log) => hasSaid(log, "started"));
      const log = await host.until((lines) => spoken(lines).length > 1, 2500);
      return unless(spoken(log).length === 1, `it started ${spoken(log).length} times`);
    },
  },
];

/** A check of the main suite, in this engine. */
function fromSuite(id: string): Scenario {
  const check = ISOLATION_CHECKS.find((candidate) => candidate.id === id);
  if (!check) throw new Error(`The suite has no check ${id}.`);
  return { id, title: check.title, run: (scene) => check.run(scene.asScene()) };
}

/** The complaints about a view's end: the host receives the reason, and the user reads it. */
async function stopped(
  scene: EngineScene,
  { page, until }: EngineHost,
  code: string,
  words: string,
): Promise<string[]> {
  const log = await until((lines) => lines.some(({ killed }) => killed));
  const killed = log.find((line) => line.killed)?.killed;
  if (!killed) {
    return log.length === 0 ? [`${INCONCLUSIVE}the view did not run`] : ["the view goes on"];
  }
  const notice = await watch(
    () => page.textIn("view"),
    (text) => text.includes(words),
    3000,
  );
  const text = notice.replaceAll(/\s+/g, " ").trim();
  scene.notes.push(`killed: ${JSON.stringify(killed)}; notice: “${text}”`);
  return [
    ...unless(killed.code === code, `stopped for ${killed.code}`),
    ...unless(text.includes("This app was stopped") && text.includes(words), `notice: ${text}`),
  ];
}
