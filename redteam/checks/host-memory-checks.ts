import { openHost } from "../stage/host-scene.ts";
import { type Check, unless, unlessTried } from "./check.ts";

/** What the host allows without a question: remembered answers and trusted hosts. */
export const HOST_MEMORY_CHECKS: readonly Check[] = [
  {
    id: "host-remembered-answers",
    title: "S16: a remembered answer is for one definition of a tool, one user and one origin",
    entries: [211],
    stages: ["tier-2"],
    async run(scene) {
      const host = await openHost(scene, []);
      const { again, unasked } = await host.page.evaluate(async () => {
        let questions = 0;
        const consent = window.site.createConsent(() => {
          questions += 1;
          return { allow: true, remember: true };
        });
        const { signal } = new AbortController();
        const view = { key: "view", server: "hostile" };
        const inputSchema = { type: "object" as const };
        const ask = async (tool: object, owner?: object, link?: string) => {
          const before = questions;
          const subject = link
            ? { kind: "link", link: { href: link, host: new URL(link).hostname } }
            : { kind: "tool", tool: { name: "save", inputSchema, ...tool }, arguments: {} };
          await consent({ ...subject, view, owner, userActive: true, signal } as never);
          return questions > before;
        };
        await ask({}, { user: "ann" });
        await ask({}, undefined, "https://site.example/");
        const again = await ask({}, { user: "ann" });
        const changes = {
          "another description": await ask({ description: "Deletes all" }, { user: "ann" }),
          "another hint": await ask({ annotations: { destructiveHint: true } }, { user: "ann" }),
          "another user": await ask({}, { user: "bo" }),
          "another tenant": await ask({}, { user: "ann", tenant: "acme" }),
          "another scheme": await ask({}, undefined, "http://site.example/"),
          "another port": await ask({}, undefined, "https://site.example:8443/"),
        };
        const unasked = Object.entries(changes).flatMap(([name, asked]) => (asked ? [] : [name]));
        return { again, unasked };
      });
      return [
        ...unlessTried(!again, "nothing was remembered"),
        ...unless(unasked.length === 0, `allowed without a question: ${unasked.join(", ")}`),
      ];
    },
  },
  {
    id: "host-trusted-hosts",
    title: "S45: a trusted host is trusted under its scheme and port alone",
    entries: [212],
    stages: ["tier-2"],
    async run(scene) {
      const host = await openHost(scene, []);
      const opened = await host.page.evaluate(async () => {
        const trustedHosts = ["site.example", "*.wiki.example", "http://localhost:3000"];
        const consent = window.site.createConsent(undefined, { trustedHosts });
        const { signal } = new AbortController();
        const view = { key: "view", server: "hostile" };
        const opens = async (href: string) => {
          const link = { href, host: new URL(href).hostname };
          return (await consent({ kind: "link", link, view, userActive: true, signal })) === true;
        };
        const hrefs = ["https://site.example/", "http://localhost:3000/x"].concat(
          ...["http://site.example/", "https://site.example:8443/", "http://a.wiki.example/"],
          ...["https://localhost:3000/", "http://localhost/"],
        );
        const found = await Promise.all(hrefs.map(opens));
        return hrefs.filter((_, at) => found[at]);
      });
      const wrong = opened.slice(2);
      return [
        ...unlessTried(opened.length >= 2, "no link opened"),
        ...unless(wrong.length === 0, `opened without a question: ${wrong.join(" ")}`),
      ];
    },
  },
];
