import { setTimeout as sleep } from "node:timers/promises";
import { scriptedView } from "../stage/view-document.ts";
import { type Check, unless } from "./check.ts";
import { FRAME_REQUEST, register } from "./registration.ts";

const SETTLE = 600;

/** How documents are served: to whom, how often, with what around them. */
export const DELIVERY_CHECKS: readonly Check[] = [
  {
    id: "not-a-page",
    title: "proxy and view cannot be opened as pages of their own",
    entries: [49],
    stages: ["tier-1", "tier-2", "tier-3"],
    quick: true,
    async run(scene) {
      const trap = await scene.trap();
      const html = scriptedView((url: string) => {
        new Image().src = `${url}/img`;
        document.title = "ran";
      }, trap.base);
      const complaints: string[] = [];
      for (const which of ["proxyUrl", "viewUrl"] as const) {
        const urls = await register(scene, html);
        const page = await scene.page();
        const response = await page.goto(urls[which]);
        complaints.push(
          ...unless((response?.status() ?? 0) >= 400, `${which} answers ${response?.status()}`),
          ...unless((await page.title()) !== "ran", `the script of ${which} ran`),
        );
      }
      return [...complaints, ...trap.caught().map((hit) => `attacker got ${hit}`)];
    },
  },
  {
    id: "foreign-embedder",
    title: "a third-party page can't frame proxy or view",
    entries: [50],
    stages: ["tier-1", "tier-2"],
    quick: true,
    async run(scene) {
      const html = scriptedView(() => {
        (top as Window).postMessage("view runs", "*");
      });
      const complaints: string[] = [];
      for (const which of ["proxyUrl", "viewUrl"] as const) {
        const urls = await register(scene, html);
        const trap = await scene.trap();
        const page = await scene.page();
        await page.goto(`${trap.base}/embed?url=${encodeURIComponent(urls[which])}`);
        await sleep(SETTLE * 2);
        const received = await page.evaluate(
          () => (window as Window & { received?: string }).received,
        );
        const inside = page.frames().map((frame) => frame.url());
        complaints.push(
          ...unless(received === "", `${which}: the outsider received ${received}`),
          ...unless(!inside.includes(urls[which]), `${which} was shown`),
        );
      }
      return complaints;
    },
  },
  {
    id: "one-use-address",
    title: "a view's address works once, on its own name, for a frame alone",
    entries: [104, 105],
    stages: ["tier-1", "tier-2", "tier-3"],
    quick: true,
    async run(scene) {
      const { viewUrl } = await register(scene, "<p>once");
      const ask = async (url: string, headers: Record<string, string> = FRAME_REQUEST) =>
        (await scene.stage.fetch(new Request(url, { headers }))).status;
      const other = await register(scene, "<p>other", "another-server");
      const crossed = new URL(viewUrl);
      crossed.host = new URL(other.viewUrl).host;
      const sameHost = crossed.href === viewUrl;
      const document = { ...FRAME_REQUEST, "sec-fetch-dest": "document" };
      const guess = viewUrl.slice(0, -4) + (viewUrl.endsWith("aaaa") ? "bbbb" : "aaaa");
      const scripted = await ask(viewUrl, { ...FRAME_REQUEST, "sec-fetch-dest": "empty" });
      const [asPage, guessed] = [await ask(viewUrl, document), await ask(guess)];
      const elsewhere = sameHost ? 404 : await ask(crossed.href);
      const [first, second] = [await ask(viewUrl), await ask(viewUrl)];
      const both = await register(scene, "<p>race");
      const race = await Promise.all([ask(both.viewUrl), ask(both.viewUrl)]);
      return [
        ...unless(asPage >= 400, `opened as a page: ${asPage}`),
        ...unless(scripted >= 400, `fetched by script: ${scripted}`),
        ...unless(guessed >= 400, `guessed: ${guessed}`),
        ...unless(elsewhere >= 400, `on another view's name: ${elsewhere}`),
        ...unless(first === 200, `first use: ${first}`),
        ...unless(second >= 400, `second use: ${second}`),
        ...unless(race.filter((status) => status === 200).length === 1, `at once: ${race}`),
      ];
    },
  },
  {
    id: "plain-answers",
    title: "no redirect, no cookie, no cache, no sniffing, whatever is asked",
    entries: [40, 60, 61, 105, 106],
    stages: ["tier-1", "tier-2", "tier-3"],
    async run(scene) {
      const { proxyUrl, viewUrl } = await register(scene, "<p>plain", "secret-server-name");
      const complaints: string[] = [];
      for (const base of [proxyUrl, viewUrl]) {
        const paths = ["", "?csp=%7B%7D", "/../..", "%2e%2e/", "//evil.test", "/sw.js", "#x"];
        for (const path of paths) {
          const headers = { ...FRAME_REQUEST, cookie: "host=1", "service-worker": "script" };
          const response = await scene.stage.fetch(new Request(base + path, { headers }));
          const at = `${new URL(base).pathname.slice(0, 4)}…${path}`;
          complaints.push(
            ...unless(response.status < 300 || response.status >= 400, `${at} redirects`),
            ...unless(!response.headers.has("set-cookie"), `${at} sets a cookie`),
            ...unless(!response.headers.has("service-worker-allowed"), `${at} allows a worker`),
            ...unless(response.headers.get("cache-control") === "no-store", `${at} may be cached`),
            ...unless(
              response.headers.get("x-content-type-options") === "nosniff",
              `${at} may be sniffed`,
            ),
          );
        }
        complaints.push(...unless(!base.includes("secret"), `an address contains ${base}`));
      }
      return complaints;
    },
  },
  {
    id: "policy-not-in-address",
    title: "nothing in the address changes the policy",
    entries: [101],
    stages: ["tier-1", "tier-2", "tier-3"],
    async run(scene) {
      const query = `?csp=${encodeURIComponent('{"connectDomains":["https://evil.example"]}')}`;
      const policies: (string | null)[] = [];
      for (const suffix of ["", query]) {
        const { proxyUrl, viewUrl } = await register(scene, "<p>policy", "policy");
        for (const url of [proxyUrl, viewUrl]) {
          const response = await scene.stage.fetch(
            new Request(url + suffix, { headers: FRAME_REQUEST }),
          );
          policies.push(response.headers.get("content-security-policy"));
          policies.push(response.headers.get("connection-allowlist"));
        }
      }
      return unless(
        !policies.some((policy) => policy?.includes("evil.example")),
        "the address added a domain",
      );
    },
  },
];
