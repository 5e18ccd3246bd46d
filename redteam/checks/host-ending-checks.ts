import { setTimeout as sleep } from "node:timers/promises";
import { crashProof } from "../lab/crash-proof-page.ts";
import { type HostScene, openHost, openView } from "../stage/host-scene.ts";
import { hostedView } from "../stage/host-view.ts";
import { within } from "../stage/page-steps.ts";
import { type Check, unless, unlessTried } from "./check.ts";

/** What a view can do to be stopped. */
type Way = "leave" | "malformed" | "late";

/** What the user reads in the place of a view whose context was removed. */
const REMOVED = "The assistant no longer sees what this app told it.";

/** What the user reads next to the name of a view that doesn't answer. */
const SILENT = "Not responding";

/** What remains of a view that has ended. */
export const HOST_ENDING_CHECKS: readonly Check[] = [
  {
    id: "host-context-end",
    title:
      "S38: the model context of a stopped view is removed, stays removed, and the user is notified",
    entries: [219],
    stages: ["tier-2"],
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        const set = (text: string) =>
          ask("ui/update-model-context", { content: [{ type: "text", text }] });
        await set("WORDS");
        say("set");
        const { way } = (await input) as { way: Way };
        addEventListener("message", ({ data }) => {
          if (data.method !== "redteam/now") return;
          // One of these is under way when the view is stopped.
          if (way === "late") for (let at = 0; at < 5; at += 1) void set(`LATE ${at}`);
          if (way !== "malformed") location.href = "https://evil.example/";
          setInterval(() => {
            for (let at = 0; at < 50; at += 1) parent.postMessage({ jsonrpc: "1.0", at }, "*");
          }, 20);
        });
      });
      const ways: readonly Way[] = ["leave", "malformed", "late"];
      const found = await Promise.all(
        ways.map(async (way) => {
          const host = await openView(scene, html, {}, { way });
          await host.untilSaid(1);
          const snapshot = () =>
            host.page.evaluate(() => JSON.stringify(window.site.host.modelContext.snapshot()));
          const before = await snapshot();
          await host.provoke();
          const isError = ({ level }: { level: string }) => level === "error";
          const { diagnostics } = await host.until((record) => record.diagnostics.some(isError));
          await sleep(700);
          const after = await snapshot();
          const text = await host.text();
          // Started again, it gets nothing of it back.
          await host.page.evaluate(() => window.site.host.views.get("view")?.reload());
          const states: string[] = [];
          await host.page.waitForFunction(() => {
            window.contexts ??= [];
            window.contexts.push(JSON.stringify(window.site.host.modelContext.snapshot()));
            return window.site.host.views.get("view")?.bridge?.initialized;
          });
          states.push(...(await host.page.evaluate(() => window.contexts ?? [])));
          return [
            ...unlessTried(before.includes("WORDS"), `${way}: it told the model nothing`),
            ...unlessTried(diagnostics.some(isError), `${way}: it was not stopped`),
            ...unless(after === "[]", `${way}: the model still knows ${after.slice(0, 80)}`),
            ...unless(text.includes(REMOVED), `${way}: the user reads ${text.slice(0, 200)}`),
            ...unless(
              states.slice(0, -1).every((state) => state === "[]"),
              `${way}: the model received it again: ${states.join(" ").slice(0, 120)}`,
            ),
          ];
        }),
      );
      return found.flat();
    },
  },
  {
    id: "host-crash",
    title:
      "S38: after a crash of a view's process the user is notified, and the model no longer has its context",
    entries: [219],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        await ask("ui/update-model-context", { content: [{ type: "text", text: "WORDS" }] });
        say("set");
      });
      // A server of its own: views of one origin share the process that is ended here.
      const servers = [{ name: "crashing", tools: [{ name: "show", html }] }];
      const host = await openHost(scene, servers);
      await host.show({ key: "view", server: "crashing", tool: "show" });
      await host.untilSaid(1);
      const before = await host.page.evaluate(
        () => window.site.host.modelContext.snapshot().length,
      );
      const evaluate = await crashProof(host.page);
      const view = host.page.frames().at(-1);
      if (!view) return unlessTried(false, "there is no frame");
      const session = await host.page.context().newCDPSession(view);
      // It is never answered: the process that would is gone.
      await within(session.send("Page.crash"), 500);
      const read = () =>
        evaluate(
          () => ({
            context: JSON.stringify(window.site.host.modelContext.snapshot()),
            text: window.site.root("view")?.textContent ?? "",
          }),
          undefined,
        );
      let state = await read();
      const isClear = () => state.context === "[]" && state.text.includes(SILENT);
      for (let tries = 0; tries < 30 && !isClear(); tries += 1) {
        await sleep(500);
        state = await read();
      }
      return [
        ...unlessTried(before === 1, "it told the model nothing"),
        ...unless(state.context === "[]", `the model still knows ${state.context.slice(0, 80)}`),
        ...unless(state.text.includes(SILENT), `the user reads ${state.text.slice(0, 200)}`),
      ];
    },
  },
  {
    id: "host-record",
    title:
      "S26: a record of another user, tenant or version gives a view no state, result or model context",
    entries: [220],
    stages: ["tier-2"],
    async run(scene) {
      const servers = (version: string) => [
        { name: "bank", tools: [{ name: "show", html: RECORDED + version }] },
      ];
      const alice = { isKept: true, tenant: "acme", user: "alice" };
      const first = await openHost(scene, servers("1"), alice);
      await first.show({ key: "view", server: "bank", tool: "show", input: { leaves: true } });
      await first.page.evaluate(() => {
        const content = [{ type: "text" as const, text: "RESULT" }];
        window.site.host.views.get("view")?.update({ result: { content } });
      });
      await first.untilSaid(2);
      await sleep(300);
      const record = await first.page.evaluate(() => sessionStorage.getItem("vitrine:/view") ?? "");
      const attempts = [
        { name: "the same user", options: alice, version: "1" },
        { name: "another user", options: { ...alice, user: "bob" }, version: "1" },
        { name: "another tenant", options: { ...alice, tenant: "other" }, version: "1" },
        { name: "another version", options: alice, version: "2" },
        { name: "a refused document", options: { ...alice, isRefused: true }, version: "1" },
      ];
      const found = await Promise.all(
        attempts.map(async ({ name, options, version }) => {
          const host = await openHost(scene, servers(version), options);
          return { name, known: await bringBack(host, record) };
        }),
      );
      const [same, ...others] = found;
      const marks = ["RECORDED STATE", "RECORDED WORDS", "RESULT"];
      return [
        ...unlessTried(
          marks.every((mark) => same?.known.includes(mark)),
          `not all comes back for the same user: ${same?.known}`,
        ),
        ...others.flatMap(({ name, known }) => {
          // A result is the user's own, whatever version of the view shows it.
          const isOwn = name === "another version" || name === "a refused document";
          const secret = isOwn ? marks.slice(0, 2) : marks;
          return secret
            .filter((mark) => known.includes(mark))
            .map((mark) => `${name} gets ${mark.toLowerCase()}`);
        }),
      ];
    },
  },
];

/** Leaves a state and model context, and reports what it received. */
const RECORDED = hostedView(async () => {
  const { result } = await greet();
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The colours are too long for the log, and nobody's secret.
  const withoutColours = (name: string, value: unknown) => (name === "variables" ? null : value);
  say(JSON.stringify([result, fromHost], withoutColours));
  // Only the first time: what comes back must come from the record.
  if (!(await input).leaves) return;
  tell("vitrine/state", { value: "RECORDED STATE" });
  await ask("ui/update-model-context", { content: [{ type: "text", text: "RECORDED WORDS" }] });
  say("left");
});

/** Mounts a view with a record in the page's store: all that view, page and model get of it. */
async function bringBack(host: HostScene, record: string): Promise<string> {
  await host.page.evaluate((text) => {
    sessionStorage.setItem("vitrine:/view", text);
    window.contexts = [];
    const { modelContext } = window.site.host;
    modelContext.onChange(() => window.contexts?.push(JSON.stringify(modelContext.snapshot())));
    window.site.mount("view", "bank", "show");
  }, record);
  await host.until(
    ({ said, diagnostics }) =>
      said.length > 0 || diagnostics.some(({ level }) => level === "error"),
  );
  const contexts = await host.page.evaluate(() => window.contexts ?? []);
  return JSON.stringify([await host.said(), contexts, await host.text()]);
}

declare global {
  interface Window {
    contexts?: string[];
  }
}
