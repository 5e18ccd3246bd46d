import { setTimeout as sleep } from "node:timers/promises";
import type { LogLine } from "../stage/host-page.ts";
import { scriptedView } from "../stage/view-document.ts";
import { type Check, hasSaid, type OpenHost, type Scene, unless, unlessTried } from "./check.ts";

/** Longest pause of the host while a view floods it, in ms. */
const LONGEST_PAUSE = 300;

/** Too much of anything: the relay takes it, in another process than the host's. */
export const FLOOD_CHECKS: readonly Check[] = [
  {
    id: "flood",
    title: "a flood is cut to the allowed rate and its view stopped",
    entries: [79],
    stages: ["tier-1", "tier-2"],
    alone: true,
    async run(scene) {
      const { log, pause } = await strain(scene, 9000, () => {
        let sent = 0;
        const timer = setInterval(() => {
          for (let one = 0; one < 1000; one += 1) {
            parent.postMessage({ jsonrpc: "2.0", method: "flood", params: { sent } }, "*");
            sent += 1;
          }
          if (sent >= 200_000) clearInterval(timer);
        }, 20);
      });
      const relayed = log.filter(({ msg }) => msg?.method === "flood").length;
      return [
        ...unless(relayed < 1500, `${relayed} messages reached the host`),
        ...unless(
          log.some(({ killed }) => killed?.code === "flood"),
          "the view was not stopped",
        ),
        ...tooLong(pause),
      ];
    },
  },
  {
    id: "huge-string",
    title: "a string of 100 MB stops at the relay, and its view with it",
    entries: [80],
    stages: ["tier-1", "tier-2"],
    alone: true,
    async run(scene) {
      const { log, pause } = await strain(scene, 5000, () => {
        const params = { text: "x".repeat(100 * 2 ** 20) };
        parent.postMessage({ jsonrpc: "2.0", method: "huge", params }, "*");
      });
      return [...relayed(log, "huge"), ...unstopped(log), ...tooLong(pause)];
    },
  },
  {
    id: "huge-buffers",
    title: "twenty buffers of 50 MB stop at the relay, and their view with them",
    entries: [80],
    stages: ["tier-2"],
    alone: true,
    async run(scene) {
      const { log, pause } = await strain(scene, 8000, () => {
        for (let one = 0; one < 20; one += 1) {
          const params = { bytes: new ArrayBuffer(50 * 2 ** 20) };
          parent.postMessage({ jsonrpc: "2.0", method: "huge", params }, "*");
        }
      });
      return [...relayed(log, "huge"), ...unstopped(log), ...tooLong(pause)];
    },
  },
  {
    id: "wide-object",
    title: "an object of a million keys stops at the relay, and its view with it",
    entries: [80],
    stages: ["tier-1", "tier-2"],
    alone: true,
    async run(scene) {
      const { log, pause } = await strain(scene, 6000, () => {
        const params: Record<string, number> = {};
        for (let one = 0; one < 1e6; one += 1) params[`key${one}`] = one;
        parent.postMessage({ jsonrpc: "2.0", method: "huge", params }, "*");
      });
      return [...relayed(log, "huge"), ...unstopped(log), ...tooLong(pause)];
    },
  },
  {
    id: "past-the-proxy",
    title: "a million keys posted straight to the host cost it less than 300 ms",
    entries: [74],
    stages: ["tier-2"],
    alone: true,
    async run(scene) {
      const { uninvited, pause } = await strain(scene, 3000, () => {
        const wide: Record<string, number> = {};
        for (let one = 0; one < 1e6; one += 1) wide[`key${one}`] = one;
        (top as Window).postMessage(wide, "*");
      });
      return [...unlessTried(uninvited > 0, "the message did not arrive"), ...tooLong(pause)];
    },
  },
];

async function strain(scene: Scene, time: number, attack: () => void) {
  // The attack waits, so that the pause of mounting is not counted as its doing.
  const script = `say("ready");setTimeout(${attack.toString()},1500)`;
  const html = scriptedView((text: string) => {
    const element = document.createElement("script");
    element.textContent = text;
    document.body.append(element);
  }, script);
  const host = await scene.open([{ name: "view", server: "flood", html }]);
  await host.until((lines) => hasSaid(lines, "ready"));
  // Mounting is over; what the host pauses now is the machine's other work, not the view's doing.
  await resetPause(host);
  await sleep(1000);
  const quiet = await resetPause(host);
  const log = await host.until((lines) => lines.some(isDecided), time);
  await sleep(700);
  const { pause, uninvited } = await host.page.evaluate(() => ({
    pause: window.redteam.pause,
    uninvited: window.redteam.uninvited,
  }));
  return { log: (await host.log()) ?? log, pause: pause - quiet, uninvited };
}

/** Restarts the measurement; returns the longest pause so far. */
function resetPause({ page }: OpenHost): Promise<number> {
  return page.evaluate(() => {
    const { pause } = window.redteam;
    window.redteam.pause = 0;
    return pause;
  });
}

/** One way or the other: the view was stopped, its message dropped, or it came through. */
function isDecided({ killed, dropped, msg }: LogLine): boolean {
  return Boolean(killed || (dropped && dropped.code !== "rate") || msg?.method === "huge");
}

function relayed(log: readonly { msg?: { method?: string } }[], method: string): string[] {
  return unless(!log.some(({ msg }) => msg?.method === method), "it reached the host");
}

/** The view is stopped for its size, and the host receives the reason. */
function unstopped(log: readonly LogLine[]): string[] {
  const killed = log.find((line) => line.killed)?.killed;
  const reason = /^a message of more than \d+ (MB|values)$/;
  return [
    ...unless(killed?.code === "oversize", `the view was not stopped for it (${killed?.code})`),
    ...unless(!killed || reason.test(killed.detail ?? ""), `the reason is "${killed?.detail}"`),
  ];
}

function tooLong(pause: number): string[] {
  return unless(pause < LONGEST_PAUSE, `the host paused ${Math.round(pause)} ms`);
}
