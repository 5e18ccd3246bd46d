import type { StagedView } from "../stage/deployment.ts";
import { scriptedView } from "../stage/view-document.ts";
import { type Check, INCONCLUSIVE, type Scene, spoken, unless, unlessTried } from "./check.ts";
import { type Findings, probe } from "./isolation-probe.ts";

/** Two views on one page that must not know of each other. */
export const ISOLATION_CHECKS: readonly Check[] = [
  {
    id: "two-servers",
    title: "views of two servers share no storage, channel, lock, worker, cookie, window or DOM",
    entries: [52, 53, 54, 55, 67, 68, 73],
    stages: ["tier-1", "tier-2", "tier-3"],
    quick: true,
    run: (scene) =>
      apart(scene, [
        { name: "left", server: "https://left.example/mcp", html: probe("left") },
        { name: "right", server: "https://right.example/mcp", html: probe("right") },
      ]),
  },
  {
    id: "one-server",
    title: "control: two views of one server and policy do share, so the probe can see it",
    entries: [],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const server = "https://same.example/mcp";
      const found = await apart(scene, [
        { name: "left", server, html: probe("left") },
        { name: "right", server, html: probe("right") },
      ]);
      const seen = found.join();
      return ["storage", "databases", "caches", "files", "broadcast", "lock"].flatMap((what) =>
        unless(seen.includes(what), `the probe did not see a shared ${what}`),
      );
    },
  },
  {
    id: "two-policies",
    title: "views of one server under two policies share nothing: the loose one is no courier",
    entries: [56],
    stages: ["tier-1", "tier-2"],
    run: (scene) =>
      apart(scene, [
        { name: "left", server: "https://one.example/mcp", html: probe("left") },
        {
          name: "right",
          server: "https://one.example/mcp",
          html: probe("right"),
          csp: { connectDomains: ["https://api.example.com"] },
        },
      ]),
  },
  {
    id: "two-users",
    title: "views of two users in one browser share nothing",
    entries: [57],
    stages: ["tier-1", "tier-2"],
    run: (scene) =>
      apart(scene, [
        { name: "left", server: "https://one.example/mcp", user: "ann", html: probe("left") },
        { name: "right", server: "https://one.example/mcp", user: "bob", html: probe("right") },
      ]),
  },
  {
    id: "host-secrets",
    title: "cookies, storage and variables of the host are out of reach",
    entries: [45, 58, 59, 70],
    stages: ["tier-1", "tier-2", "tier-3"],
    async run(scene) {
      const html = scriptedView(() => {
        const read = (reader: () => unknown) => {
          try {
            return String(reader());
          } catch (error) {
            return (error as Error).name;
          }
        };
        setTimeout(
          () =>
            say({
              cookie: read(() => document.cookie),
              storage: read(() => localStorage.getItem("host")),
              top: read(() => (top as Window).document.title),
              variable: read(() => (top as Window & { hostSecret?: string }).hostSecret),
              middle: read(() => parent.document.title),
            }),
          400,
        );
      });
      const host = await scene.open([{ name: "view", server: "curious", html }]);
      await host.page.evaluate(() => {
        // biome-ignore lint/suspicious/noDocumentCookie: an ordinary host's cookie
        document.cookie = "host=secret; path=/";
        localStorage.setItem("host", "secret");
        Object.assign(window, { hostSecret: "secret" });
      });
      const log = await host.until((lines) => spoken(lines).length > 0);
      const text = JSON.stringify(spoken(log));
      return [
        ...unlessTried(spoken(log).length > 0, "the view did not run"),
        ...unless(!text.includes('secret"') && !text.includes("host="), `the view read ${text}`),
      ];
    },
  },
  {
    id: "no-service-worker",
    title: "neither a service worker nor shared memory is to be had",
    entries: [61, 69],
    stages: ["tier-1", "tier-2", "tier-3"],
    async run(scene) {
      const html = scriptedView(async () => {
        const attempts = ["/sw.js", location.pathname].map((path) =>
          Promise.resolve().then(() => navigator.serviceWorker.register(path)),
        );
        const outcomes = await Promise.allSettled(attempts);
        say({
          registered: outcomes.filter(({ status }) => status === "fulfilled").length,
          isolated: crossOriginIsolated,
          memory: typeof SharedArrayBuffer,
        });
      });
      const host = await scene.open([{ name: "view", server: "worker", html }]);
      const log = await host.until((lines) => spoken(lines).length > 0);
      const found = JSON.stringify(spoken(log)[0]);
      const wanted = JSON.stringify({ registered: 0, isolated: false, memory: "undefined" });
      return unless(found === wanted, `found ${found}`);
    },
  },
];

async function apart(scene: Scene, views: readonly [StagedView, StagedView]): Promise<string[]> {
  const host = await scene.open(views);
  const names = views.map(({ name }) => name);
  const log = await host.until((lines) => names.every((name) => spoken(lines, name).length > 0));
  return names.flatMap((name, at) => {
    const other = names[1 - at] ?? "";
    const found = spoken(log, name)[0] as Findings | undefined;
    return found ? intrusions(name, other, found) : [`${INCONCLUSIVE}${name} did not report`];
  });
}

/** Everything in one view's findings that it can only have from the other. */
function intrusions(name: string, other: string, found: Findings): string[] {
  const { reach, heard, lock, ...rest } = found;
  return [
    ...Object.entries(rest)
      .filter(([, text]) => text.includes(`of-${other}`))
      .map(([what, text]) => `${name} sees ${what} of ${other}: ${text}`),
    ...heard.map((text) => `${name} heard ${text}`),
    ...unless(lock !== "held", `${name} met the lock of ${other}`),
    ...Object.entries(reach)
      .filter(([, outcome]) => !["0", "null", "undefined", "SecurityError"].includes(outcome))
      .map(([what, outcome]) => `${name} reached ${what}: ${outcome}`),
  ];
}
