import { scriptedView } from "../stage/view-document.ts";
import { type Check, type Scene, spoken, unless, unlessTried } from "./check.ts";
import { type Isolation, measureIsolation, PAIRS, SAME_VIEWS, type ViewPair } from "./isolation.ts";
import { limitsOf } from "./isolation-limits.ts";

const EVERY_STAGE = ["tier-1", "tier-1-listed", "tier-2", "tier-3"] as const;

/** Two views on one page that must not detect each other. */
export const ISOLATION_CHECKS: readonly Check[] = [
  {
    id: "two-servers",
    title:
      "S35: views of two servers share no cookie, storage, cache, name, channel or window but the known limits",
    entries: [52, 53, 54, 55, 60, 67, 68, 73, 239, 240],
    stages: EVERY_STAGE,
    quick: true,
    run: (scene) => apart(scene, PAIRS.servers),
  },
  {
    id: "two-policies",
    title: "S35: views of one server under two policies share nothing but the known limits",
    entries: [56, 239, 240],
    stages: EVERY_STAGE,
    run: (scene) => apart(scene, PAIRS.policies),
  },
  {
    id: "two-users",
    title: "S35: views of two users in one browser share nothing but the known limits",
    entries: [57, 239, 240],
    stages: EVERY_STAGE,
    run: (scene) => apart(scene, PAIRS.users),
  },
  {
    id: "isolation-limits",
    title:
      "S35: exactly the known limits connect two servers: cookies and cache until the domain is a public suffix",
    entries: [239, 240],
    stages: EVERY_STAGE,
    // The sandbox clears cookies that arrive, also those of checks that run side by side.
    alone: true,
    async run(scene) {
      const found = await measureIsolation(isolationScene(scene), PAIRS.servers);
      const missing = limitsOf("chromium", scene.stage.name).filter(
        (means) => !found.shared.includes(means),
      );
      return [
        ...beyondLimits(scene, found),
        ...missing.map((means) => `${means} connects no views any more: remove it from the limits`),
      ];
    },
  },
  {
    id: "one-server",
    title: "control: two views of one server, user and policy do share, so the probe can see it",
    entries: [],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const { shared, problems } = await measureIsolation(isolationScene(scene), SAME_VIEWS);
      return [
        ...problems,
        ...SEEN.filter((means) => !shared.includes(means)).map(
          (means) => `the probe did not see a shared ${means}`,
        ),
      ];
    },
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

/** What two views of one origin share in Chromium; a means that is missing here proves nothing. */
const SEEN = [
  ...["document.cookie", "localStorage", "IndexedDB", "Cache Storage", "private file system"],
  ...["HTTP cache", "history.length", "BroadcastChannel", "SharedWorker", "Web Locks"],
  ...["storage event", "storage buckets", "cookieStore"],
];

function isolationScene(scene: Scene) {
  const requests = () => scene.laboratory.attacker.requests;
  return { trap: () => scene.trap(), open: scene.open.bind(scene), requests };
}

async function apart(scene: Scene, pair: ViewPair): Promise<string[]> {
  return beyondLimits(scene, await measureIsolation(isolationScene(scene), pair));
}

function beyondLimits(scene: Scene, { shared, problems }: Isolation): string[] {
  const limits = limitsOf("chromium", scene.stage.name);
  const beyond = shared.filter((means) => !limits.includes(means));
  return [...problems, ...unless(beyond.length === 0, `connected by ${beyond.join(", ")}`)];
}
