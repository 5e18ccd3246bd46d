import { setTimeout as sleep } from "node:timers/promises";
import { clickView } from "../stage/page-steps.ts";
import { scriptedView } from "../stage/view-document.ts";
import { type Check, hasSaid, type OpenHost, type Scene, unless, unlessTried } from "./check.ts";

const MEBI = 2 ** 20;
/** The bound on storage, as the relay has it by default. */
const STORAGE = 50 * MEBI;
/** Entries that the guard lets a view add without a user's action. */
const ENTRIES = 10;

/** A view uses up what all share: the page's history, the disk. */
export const HOARD_CHECKS: readonly Check[] = [
  {
    id: "history-trap",
    title: "S42: a view that fills the page's history is stopped, and Back still works",
    entries: [47, 194],
    stages: ["tier-1", "tier-2", "tier-3"],
    async run(scene) {
      const [own, hidden] = await Promise.all([
        fillHistory(scene, "document"),
        // The guard can't see it, so the relay stops it when the entries are there.
        fillHistory(scene, "frame"),
      ]);
      figure(scene, `entries before the stop: ${own.added}, by a hidden frame ${hidden.added}`);
      const stopped = [
        ...unless(own.killed === "history", "it was not stopped"),
        ...unless(hidden.killed === "history", "a view with a hidden frame was not stopped"),
      ];
      // Without an origin the browser tells the guard nothing of entries either.
      if (scene.stage.name === "tier-3") return stopped;
      const isFree = await leavesRoute(own.host, ENTRIES + 1);
      return [
        ...stopped,
        ...unless(own.added <= ENTRIES, `${own.added} entries were added`),
        ...unless(isFree, `Back is trapped for more than ${ENTRIES} times`),
      ];
    },
  },
  {
    id: "history-router",
    title: "S42: a view whose user goes through 15 of its pages is not stopped",
    entries: [194],
    stages: ["tier-2"],
    async run(scene) {
      const html = scriptedView(() => {
        let at = 0;
        addEventListener("click", () => {
          at += 1;
          history.pushState(at, "", `#${at}`);
          say(at);
        });
        say("ready");
      });
      const host = await scene.open([{ name: "view", server: "router", html }]);
      await host.until((log) => hasSaid(log, "ready"));
      for (let at = 1; at <= 15; at += 1) {
        await clickView(host.page, "view");
        await host.until((log) => hasSaid(log, at), 2000);
        await sleep(250);
      }
      const log = await host.log();
      return [
        ...unlessTried(hasSaid(log, 12), "the clicks did not arrive"),
        ...unless(!log.some(({ killed }) => killed), "an honest view was stopped"),
      ];
    },
  },
  {
    id: "storage-fill",
    title: "S44: a view that stores more than its bound is stopped, and what it stored is cleared",
    entries: [64, 195],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const server = `hoarder-${scene.stage.name}`;
      const fill = scriptedView(async () => {
        const folder = await navigator.storage.getDirectory();
        const file = await folder.getFileHandle("f", { create: true });
        const to = await file.createWritable();
        for (let at = 0; at < 5; at += 1) await to.write(new Uint8Array(2 ** 24));
        await to.close();
        say((await navigator.storage.estimate()).usage);
      });
      const look = scriptedView(async () => say((await navigator.storage.estimate()).usage ?? -1));
      const host = await scene.open([{ name: "view", server, html: fill }]);
      const log = await host.until((lines) => lines.some(({ killed }) => killed), 12_000);
      const [stored] = (await host.said()) as number[];
      // The frame that clears needs a moment, and no other sign of its end can be seen from here.
      const usage = await untilSmall(scene, { name: "view", server, html: look });
      return [
        ...unlessTried((stored ?? 0) > STORAGE, `only ${stored} bytes could be stored`),
        ...unless(
          log.some(({ killed }) => killed?.code === "storage"),
          `${stored} bytes were stored and the view goes on`,
        ),
        ...unless(usage < MEBI, `${usage} bytes are still there`),
      ];
    },
  },
];

function figure({ stage }: Scene, text: string): void {
  process.stdout.write(`     ${stage.name}: ${text}\n`);
}

/** Opens a page with three routes of its own and a view that adds 80 entries. */
async function fillHistory(scene: Scene, where: "document" | "frame") {
  const html = scriptedView((place: string) => {
    const fill = (realm: Window, done: () => void) => {
      let count = 0;
      const timer = setInterval(() => {
        // Several at once: a watch from outside is too late for that.
        for (let more = 8; more > 0; more -= 1) {
          count += 1;
          realm.history.pushState(count, "");
        }
        if (count === 80) {
          clearInterval(timer);
          done();
        }
      }, 50);
    };
    addEventListener(
      "message",
      () => {
        const frame = document.createElement("iframe");
        frame.srcdoc = `<script>addEventListener("message", () => {
        const fill = ${fill.toString()};
        fill(window, () => parent.postMessage(0, "*"));
      })</script>`;
        // In a closed shadow root the guard can't find the frame.
        const holder = document.body.appendChild(document.createElement("div"));
        if (place === "document") fill(window, () => say("full"));
        else {
          frame.onload = () => frame.contentWindow?.postMessage(0, "*");
          holder.attachShadow({ mode: "closed" }).append(frame);
        }
      },
      { once: true },
    );
    say("ready");
  }, where);
  const host = await scene.open([{ name: "view", server: `history-${where}`, html }]);
  await host.until((log) => hasSaid(log, "ready"));
  await host.page.evaluate(() => {
    for (const route of ["one", "two", "three"]) history.pushState(route, "", `?${route}`);
  });
  const before = await host.page.evaluate(() => history.length);
  await host.page.evaluate(() => {
    window.redteam.ports.view?.postMessage({ msg: { jsonrpc: "2.0", method: "go" } });
  });
  const log = await host.until(
    (lines) => lines.some(({ killed }) => killed) || hasSaid(lines, "full"),
    6000,
  );
  const after = await host.page.evaluate(() => history.length);
  return { host, added: after - before, killed: log.find(({ killed }) => killed)?.killed?.code };
}

/** Whether the host leaves its newest route when Back is pressed that often. */
async function leavesRoute({ page }: OpenHost, presses: number): Promise<boolean> {
  for (let press = 0; press < presses; press += 1) {
    await page.evaluate(() => history.back());
    await sleep(120);
  }
  const left = page.waitForURL((url) => !url.href.endsWith("?three"), { timeout: 4000 });
  return left.then(
    () => true,
    () => false,
  );
}

/** Opens a view until it finds little stored, or for some seconds; what the last one found. */
async function untilSmall(scene: Scene, view: { name: string; server: string; html: string }) {
  for (let tries = 4; ; tries -= 1) {
    const host = await scene.open([view]);
    await host.until((log) => log.some(({ msg }) => msg), 4000);
    const usage = Number((await host.said())[0] ?? Number.NaN);
    await host.page.close();
    if (usage < MEBI || tries === 1) return usage;
    await sleep(700);
  }
}
