import { setTimeout as sleep } from "node:timers/promises";
import type { TargetAddresses } from "../lab/target-addresses.ts";
import type { StagedView } from "../stage/deployment.ts";
import { scriptedView } from "../stage/view-document.ts";
import { type Check, hasSaid, type OpenHost, spoken, unless, unlessTried } from "./check.ts";

/** Longest pause of host and sibling while a view misbehaves, in ms (§4.4). */
const LONGEST_PAUSE = 500;

/** A view that burns, bloats or dies; the host and its other views must not notice. */
export const STRAIN_CHECKS: readonly Check[] = [
  {
    id: "busy-loop",
    title: "a busy loop of 3 s pauses host and sibling less than 500 ms",
    entries: [62, 63],
    stages: ["tier-1", "tier-2"],
    alone: true,
    async run(scene) {
      const host = await scene.open([observer(), spinning()]);
      await host.until((lines) => hasSaid(lines, "spinning", "hostile"));
      const pauses = await longestPauses(host, 4500);
      return [
        ...unlessTried(hasSaid(await host.log(), "spun", "hostile"), "the loop did not end"),
        ...tooLong("host", pauses.host),
        ...tooLong("sibling", pauses.sibling),
      ];
    },
  },
  {
    id: "busy-loop-one-origin",
    title: "on one origin a busy loop of 3 s pauses the host less than 500 ms",
    entries: [62, 70],
    stages: ["tier-3"],
    alone: true,
    async run(scene) {
      const host = await scene.open([spinning()]);
      await host.until((lines) => hasSaid(lines, "spinning", "hostile"));
      const pauses = await longestPauses(host, 4500);
      return [
        ...unlessTried(hasSaid(await host.log(), "spun", "hostile"), "the loop did not end"),
        ...tooLong("host", pauses.host),
      ];
    },
  },
  {
    id: "dom-bomb",
    title: "half a million nodes and a giant canvas pause host and sibling less than 500 ms",
    entries: [66],
    stages: ["tier-1", "tier-2"],
    alone: true,
    async run(scene) {
      const hostile = {
        name: "hostile",
        server: "dom-bomb",
        html: scriptedView(() => {
          say("growing");
          setTimeout(() => {
            document.body.insertAdjacentHTML("beforeend", "<p><b>x</b></p>".repeat(250_000));
            const canvas = document.createElement("canvas");
            canvas.width = canvas.height = 16_000;
            canvas.getContext("2d")?.fillRect(0, 0, 16_000, 16_000);
            document.body.append(canvas);
          }, 300);
        }),
      };
      const host = await scene.open([observer(), hostile]);
      await host.until((lines) => hasSaid(lines, "growing", "hostile"));
      const pauses = await longestPauses(host, 2500);
      return [...tooLong("host", pauses.host), ...tooLong("sibling", pauses.sibling)];
    },
  },
  {
    id: "process-death",
    title: "the end of one view's process leaves host and sibling running",
    entries: [16, 64, 65],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const trap = await scene.trap();
      const html = scriptedView(({ udp }: TargetAddresses) => {
        say("dying");
        // The browser itself ends the process of a view that does this under an allow-list.
        setTimeout(() => {
          const frame = document.createElement("iframe");
          document.body.append(frame);
          const realm = frame.contentWindow as Window & typeof globalThis;
          const peer = new realm.RTCPeerConnection({
            iceServers: [{ urls: `stun:127.0.0.1:${udp}` }],
          });
          peer.createDataChannel("leak");
          void peer.createOffer().then((offer) => peer.setLocalDescription(offer));
        }, 700);
      }, trap);
      const host = await scene.open([observer(), { name: "hostile", server: trap.cell, html }]);
      // Playwright gives up on a page of which any frame crashed; the page itself goes on.
      const session = await host.page.context().newCDPSession(host.page);
      const words = async () => {
        const expression = 'window.redteam.log.filter(({ view }) => view === "observer").length';
        const { result } = await session.send("Runtime.evaluate", { expression });
        return Number(result.value);
      };
      const log = await host.until((lines) => hasSaid(lines, "dying", "hostile"));
      await sleep(1600);
      const before = await words();
      await sleep(500);
      const after = await words();
      const mark = host.prepared.marks.hostile ?? " ";
      return [
        ...unlessTried(hasSaid(log, "dying", "hostile"), "the view did not run"),
        ...unlessTried(
          scene.laboratory.chromium.crashes.some((address) => address.includes(mark)),
          "the process did not end: the check proves nothing in this browser",
        ),
        ...unless(after > before, "the sibling stopped"),
        ...trap.caught().map((hit) => `attacker got ${hit}`),
      ];
    },
  },
];

/** A harmless view that sends a message every 20 ms; the delay of the messages is its pause. */
function observer(): StagedView {
  const html = scriptedView(() => {
    let last = performance.now();
    let longest = 0;
    setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }, 20);
    setInterval(() => {
      say({ longest });
      longest = 0;
    }, 100);
  });
  return { name: "observer", server: "observer", html };
}

function spinning(): StagedView {
  const html = scriptedView(() => {
    say("spinning");
    setTimeout(() => {
      const until = performance.now() + 3000;
      while (performance.now() < until);
      say("spun");
    }, 500);
  });
  return { name: "hostile", server: "spinning", html };
}

/** Longest pauses of the host page and of the observer, from now on. */
async function longestPauses(host: OpenHost, time: number) {
  const from = spoken(await host.log(), "observer").length;
  await host.page.evaluate(() => {
    window.redteam.pause = 0;
  });
  await sleep(time);
  const words = spoken(await host.log(), "observer").slice(from) as { longest: number }[];
  return {
    host: await host.page.evaluate(() => window.redteam.pause),
    sibling:
      words.length > 0
        ? Math.max(...words.map(({ longest }) => longest))
        : Number.POSITIVE_INFINITY,
  };
}

function tooLong(who: string, pause: number): string[] {
  return unless(pause < LONGEST_PAUSE, `${who} paused ${Math.round(pause)} ms`);
}
