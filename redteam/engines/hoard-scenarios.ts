import { hasSaid, spoken, unless, unlessTried } from "../checks/check.ts";
import { scriptedView } from "../stage/view-document.ts";
import { EngineScene, type Scenario } from "./engine-scene.ts";

const COOKIES = 40;
const STORED = 50 * 2 ** 20;

/** A view that fills what all views of a browser share. */
export const HOARD_SCENARIOS: readonly Scenario[] = [
  {
    id: "cookie-bomb",
    title: "S34: cookies that a view sets for the whole sandbox domain keep no other view out",
    async run(scene) {
      const stage = scene.field.tiers.find(({ name }) => name === "tier-1");
      if (!stage || !scene.field.seesDns) return unlessTried(false, "tier 1 needs our resolver");
      const tierOne = new EngineScene(scene.engine, scene.field, stage);
      try {
        const bomb = scriptedView((count: number) => {
          const site = location.hostname.split(".").slice(-2).join(".");
          for (let at = 0; at < count; at += 1) {
            // biome-ignore lint/suspicious/noDocumentCookie: what a hostile view would write
            document.cookie = `bomb${at}=${"x".repeat(4000)}; path=/; domain=${site}; max-age=60; Secure; SameSite=None`;
          }
          say({ length: document.cookie.length });
        }, COOKIES);
        const bomber = await tierOne.open([{ name: "view", server: "evil", html: bomb }]);
        const [set] = spoken(await bomber.until((log) => spoken(log).length > 0));
        await bomber.page.close();
        const html = scriptedView(() => say("runs"));
        const honest = await tierOne.open([{ name: "view", server: "bank", user: "ann", html }]);
        const log = await honest.until((lines) => hasSaid(lines, "runs"));
        const { length = 0 } = Object(set) as { length?: number };
        scene.notes.push(`the view set ${length} characters of cookies`);
        if (length === 0) scene.notes.push("this engine takes no cookies from a view");
        return [
          ...unlessTried(set, "the hostile view did not run"),
          ...unless(hasSaid(log, "runs"), "afterwards a view of another server does not start"),
        ];
      } finally {
        await tierOne.close();
      }
    },
  },
  {
    id: "history-trap",
    title: "S42: a view that fills the page's history is stopped",
    async run(scene) {
      const html = scriptedView(() => {
        let count = 0;
        say("ready");
        setInterval(() => {
          count += 1;
          history.pushState(count, "");
        }, 30);
      });
      const host = await scene.open([{ name: "view", server: "historian", html }]);
      const log = await host.until((lines) => lines.some(({ killed }) => killed));
      const code = log.find(({ killed }) => killed)?.killed?.code;
      const entries = await host.page.evaluate(() => history.length, null);
      scene.notes.push(`${entries} entries in the page's history afterwards`);
      return [
        ...unlessTried(hasSaid(log, "ready"), "the view did not run"),
        ...unless(code === "history", `it was stopped for ${code}`),
      ];
    },
  },
  {
    id: "storage-fill",
    title: "S44: a view that stores more than 50 MiB is stopped",
    async run(scene) {
      const html = scriptedView(async () => {
        const cache = await caches.open("hoard");
        for (let at = 0; at < 5; at += 1) {
          // Random, because what is stored may be compressed.
          const words = new Uint32Array(2 ** 22).map(() => Math.random() * 2 ** 32);
          await cache.put(`/hoard/${at}`, new Response(words));
        }
        say({ usage: (await navigator.storage.estimate()).usage });
      });
      const host = await scene.open([{ name: "view", server: "hoarder", html }]);
      const log = await host.until((lines) => lines.some(({ killed }) => killed), 40_000);
      const code = log.find(({ killed }) => killed)?.killed?.code;
      const [report] = spoken(log);
      const { usage } = Object(report) as { usage?: number };
      scene.notes.push(`the browser counts ${usage} bytes`);
      if (!code && !report) {
        scene.lacks.push("it doesn't store 80 MiB within 40 s");
        return [];
      }
      if (!code && (usage ?? 0) < STORED) {
        scene.lacks.push(`it counts ${usage} bytes after 80 MiB were stored`);
        return [];
      }
      return unless(code === "storage", `it was stopped for ${code}`);
    },
  },
];
