import { ADDRESS_VIEWS, type SandboxStage } from "../stage/sandbox-stage.ts";
import { scriptedView } from "../stage/view-document.ts";
import { type Check, spoken, unless, unlessTried } from "./check.ts";
import { FRAME_REQUEST } from "./registration.ts";

const alice = { tenant: "acme", user: "alice", server: "bank", resource: "ui://bank/home" };
const DOCUMENT = "<title>outsider</title>";

/** Registers a view as a program does that forges a browser's headers; the answer. */
async function registerByProgram(
  { entrance, fetch }: SandboxStage,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { origin } = new URL(entrance);
  const page = await (await fetch(new Request(entrance, { headers: FRAME_REQUEST }))).text();
  const token = /[0-9]{1,16}\.[a-z2-7]{32}\.[a-z2-7]{32}/.exec(page)?.[0] ?? "";
  const forged = { origin, "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty" };
  return fetch(
    new Request(`${entrance}views`, {
      method: "POST",
      headers: {
        ...forged,
        "content-type": "application/json",
        "vitrine-token": token,
        ...headers,
      },
      body: JSON.stringify({ html: DOCUMENT, vitrine: alice }),
    }),
  );
}

/** The origin of the view behind an answer; nothing where it was refused. */
async function originOf(
  { entrance, fetch }: SandboxStage,
  answer: Response,
): Promise<string | undefined> {
  if (answer.status !== 201) return undefined;
  const { path } = (await answer.json()) as { path: string };
  const page = await fetch(new Request(new URL(path, entrance), { headers: FRAME_REQUEST }));
  const policy = page.headers.get("content-security-policy") ?? "";
  return /frame-src (https?:\/\/[^/;]+)/.exec(policy)?.[1];
}

/** Which pages can register views, under which identity, and which storage they find. */
export const ENTRANCE_CHECKS: readonly Check[] = [
  {
    id: "cookie-clear",
    title: "S34, S35: cookies that a view left for all others are gone before the next view runs",
    entries: [186, 187],
    stages: ["tier-1"],
    async run(scene) {
      const name = `left-${crypto.randomUUID()}`;
      const leaver = scriptedView((cookie: string) => {
        const site = location.hostname.split(".").slice(-2).join(".");
        const given = `domain=${site}; path=/; max-age=600; Secure; SameSite=None; Partitioned`;
        // biome-ignore lint/suspicious/noDocumentCookie: what a hostile view would write
        document.cookie = `${cookie}=${"x".repeat(3000)}; ${given}`;
        say({ jar: document.cookie });
      }, name);
      const finder = scriptedView(() => say({ jar: document.cookie }));
      const show = async (html: string, server: string, user: string): Promise<string> => {
        const host = await scene.open([{ name: "view", server, user, html }]);
        const log = await host.until((lines) => spoken(lines).length > 0);
        await host.page.close();
        return (spoken(log)[0] as { jar: string } | undefined)?.jar ?? "nothing was said";
      };
      const left = await show(leaver, "evil", "bob");
      const found = await show(finder, "bank", "ann");
      return [
        ...unlessTried(left.includes(name), "the hostile view could set no cookie"),
        ...unlessTried(found !== "nothing was said", "the other view never ran"),
        ...unless(!found.includes(name), "the other view read the cookie"),
      ];
    },
  },
  {
    id: "version-storage",
    title: "S45: a new version of a view finds nothing that an old version stored",
    entries: [185],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      // Finds what its own version or another one left, and leaves something itself.
      const version = (mark: string): string =>
        scriptedView((own: string) => {
          const found = Object.keys(localStorage);
          localStorage.setItem(own, "stored");
          say({ found });
        }, mark);
      const show = async (html: string): Promise<string[] | undefined> => {
        const host = await scene.open([{ name: "view", server: "versions", html }]);
        const log = await host.until((lines) => spoken(lines).length > 0);
        await host.page.close();
        return (spoken(log)[0] as { found: string[] } | undefined)?.found;
      };
      const marks = [`old-${crypto.randomUUID()}`, `new-${crypto.randomUUID()}`] as const;
      const before = await show(version(marks[0]));
      const again = await show(version(marks[0]));
      const after = await show(version(marks[1]));
      return [
        ...unlessTried(before && again?.includes(marks[0]), "one version keeps no storage"),
        ...unlessTried(after, "the new version never ran"),
        ...unless(after?.length === 0, `the new version found ${after}`),
      ];
    },
  },
  {
    id: "claimed-names",
    title: "S8: a program that claims a user's name doesn't learn the origin of that user's view",
    entries: [183],
    stages: ["tier-1", "tier-2"],
    quick: true,
    async run({ stage }) {
      const credential = await stage.credential(alice);
      const real = await originOf(
        stage,
        await registerByProgram(stage, { "vitrine-credential": credential }),
      );
      const again = await registerByProgram(stage, { "vitrine-credential": credential });
      const claimed = await registerByProgram(stage);
      const learnt = await originOf(stage, claimed);
      return [
        ...unlessTried(real, "a view with a credential wasn't registered"),
        ...unless(again.status === 401, `a used credential was answered with ${again.status}`),
        ...unless(learnt !== real, `it learnt ${learnt}`),
        ...unless(
          stage.name !== "tier-1" || claimed.status === 403,
          `a production sandbox registered it without a credential: ${claimed.status}`,
        ),
      ];
    },
  },
  {
    id: "registration-flood",
    title:
      "S8: a flood of registrations from one address is bounded, and views with a credential open",
    entries: [184],
    stages: ["tier-2"],
    async run({ stage }) {
      const client = { address: "192.0.2.1" };
      const from = { ...stage, fetch: (request: Request) => stage.fetch(request, client) };
      const statuses = new Map<number, number>();
      for (let at = 0; at < ADDRESS_VIEWS + 20; at += 1) {
        const { status } = await registerByProgram(from);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      const credential = await stage.credential(alice);
      const honest = await registerByProgram(stage, { "vitrine-credential": credential });
      return [
        ...unlessTried(statuses.get(201), "no view was registered at all"),
        ...unless(statuses.get(429), "every one of them was registered"),
        ...unless(honest.status === 201, `a view with a credential got ${honest.status}`),
      ];
    },
  },
];
