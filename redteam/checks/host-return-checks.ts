import { setTimeout as sleep } from "node:timers/promises";
import { openHost, openView } from "../stage/host-scene.ts";
import { hostedView } from "../stage/host-view.ts";
import { type Check, unless, unlessTried } from "./check.ts";

/** What the browser itself does to a page: keeps it and brings it back, composes text, loses its GPU. */
export const HOST_RETURN_CHECKS: readonly Check[] = [
  {
    id: "host-page-return",
    title:
      "after the user goes back to a page, an old question is gone and its views run again or not at all",
    entries: [222],
    stages: ["tier-2"],
    timing: true,
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        await ask("ui/update-model-context", { content: [{ type: "text", text: "WORDS" }] });
        say("ready");
        addEventListener("message", ({ data }) => {
          if (data.method === "redteam/now") void ask("tools/call", { name: "pay", arguments: {} });
        });
      });
      const tools = [{ name: "show", html }, { name: "pay" }];
      const host = await openHost(scene, [{ name: "hostile", tools }], { consent: "dialog" });
      await host.show({ key: "view", server: "hostile", tool: "show" });
      await host.untilSaid(1);
      await host.provoke();
      await host.page.waitForFunction(() => window.site.root("dialog"));
      await host.page.evaluate(() => {
        window.returned = undefined;
        addEventListener("pageshow", ({ persisted }) => {
          window.returned = persisted;
        });
      });
      const address = host.page.url();
      await host.page.goto(new URL("/elsewhere", address).href).catch(() => {});
      await host.page.goBack({ waitUntil: "commit" });
      await sleep(500);
      const isKept = await host.page.evaluate(() => window.returned === true).catch(() => false);
      // A browser that doesn't keep the page loads it again, and nothing of the old one is left.
      if (!isKept) {
        const isNew = await host.page.evaluate(() => window.site?.record.said.length ?? 0);
        return unless(isNew === 0, "the page was neither kept nor loaded again");
      }
      await host.untilSaid(2);
      // A notice that it was withdrawn may stay.
      const hasQuestion = await host.page.evaluate(() =>
        Boolean(window.site.root("dialog")?.querySelector(".allow")),
      );
      const { calls, said } = await host.record();
      return [
        ...unless(!hasQuestion, "the question of the ended view is still open"),
        ...unless(calls.length === 0, "the tool was called"),
        ...unless(said.length >= 2, "the view was not started again"),
      ];
    },
  },
  {
    id: "host-page-kept",
    title: "views that were torn down when the page was left are started again when it is shown",
    entries: [222],
    stages: ["tier-2"],
    async run(scene) {
      const html = hostedView(async () => {
        globalThis.serve = (method) => {
          if (method === "ui/resource-teardown") say("ended");
          return {};
        };
        await greet();
        say("ready");
      });
      const host = await openView(scene, html);
      await host.untilSaid(1);
      await host.page.evaluate(() => {
        // As a browser does that keeps the page, whatever this one decides.
        dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
        dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
      });
      const said = await host.untilSaid(3);
      const isServed = await host.page.evaluate(
        () => window.site.host.views.get("view")?.bridge?.initialized,
      );
      return [
        ...unless(said.filter((word) => word === "ready").length === 2, `it said ${said.join()}`),
        ...unless(isServed, "the view isn't served"),
      ];
    },
  },
  {
    id: "host-composition",
    title: "keys that compose text don't answer a question that opens over the field",
    entries: [223],
    stages: ["tier-2"],
    timing: true,
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        addEventListener("message", ({ data }) => {
          if (data.method === "redteam/now") void ask("tools/call", { name: "pay", arguments: {} });
        });
        say("ready");
      });
      const tools = [{ name: "show", html }, { name: "pay" }];
      const host = await openHost(scene, [{ name: "hostile", tools }], { consent: "dialog" });
      await host.show({ key: "view", server: "hostile", tool: "show" });
      await host.untilSaid(1);
      await host.page.focus("#composer");
      const session = await host.page.context().newCDPSession(host.page);
      const compose = (text: string) =>
        session.send("Input.imeSetComposition", {
          text,
          selectionStart: text.length,
          selectionEnd: text.length,
        });
      await compose("ni");
      const composing = await host.page.inputValue("#composer");
      await host.provoke();
      await host.page.waitForFunction(() => window.site.root("dialog"));
      // The user goes on, chooses a candidate by Space and commits it by Enter, again and again.
      for (let at = 0; at < 4; at += 1) {
        for (const [key, code] of [
          ["Process", 229],
          [" ", 32],
          ["Enter", 13],
        ] as const) {
          const event = { key, windowsVirtualKeyCode: code };
          await session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...event });
          await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
        }
        await compose("hao");
        await session.send("Input.insertText", { text: "好" });
        await sleep(300);
      }
      const { calls } = await host.record();
      return [
        ...unlessTried(composing === "ni", `nothing was composed: ${composing}`),
        ...unless(calls.length === 0, "the question was answered by keys of the composition"),
      ];
    },
  },
  {
    id: "host-gpu-crash",
    title: "a crash of the GPU process answers no question, and host and view go on",
    entries: [224],
    stages: ["tier-2"],
    // Every page of the browser is drawn by the process that is ended here.
    alone: true,
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        addEventListener("message", ({ data }) => {
          if (data.method !== "redteam/now") return;
          void ask("tools/call", { name: "pay", arguments: {} });
          say("asked");
        });
      });
      const tools = [{ name: "show", html }, { name: "pay" }];
      const host = await openHost(scene, [{ name: "hostile", tools }], { consent: "dialog" });
      await host.show({ key: "view", server: "hostile", tool: "show" });
      await host.provoke();
      await host.page.waitForFunction(() => window.site.root("dialog"));
      const browser = await host.page.context().browser()?.newBrowserCDPSession();
      const gpu = async () => {
        const found = await browser?.send("SystemInfo.getProcessInfo");
        return found?.processInfo.find(({ type }) => type === "GPU")?.id;
      };
      const before = await gpu();
      await browser?.send("Browser.crashGpuProcess");
      await sleep(1500);
      const after = await gpu();
      const isOpen = await host.page.evaluate(() =>
        Boolean(window.site.root("dialog")?.querySelector(".allow")),
      );
      const { calls } = await host.record();
      await host.press("Escape");
      await host.provoke();
      const said = await host.untilSaid(2);
      return [
        ...unlessTried(before !== after, `no GPU process ended: ${before}, ${after}`),
        ...unless(isOpen, "the question closed by itself"),
        ...unless(calls.length === 0, "the tool was called"),
        ...unless(said.length >= 2, "the view doesn't run any more"),
      ];
    },
  },
];

declare global {
  interface Window {
    returned?: boolean | undefined;
  }
}
