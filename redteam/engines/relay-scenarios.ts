import { bundlePage } from "../../packages/sandbox/test/relay/relay-bundles.ts";
import { hasSaid, spoken, unless, unlessTried } from "../checks/check.ts";
import { scriptedView } from "../stage/view-document.ts";
import type { Scenario } from "./engine-scene.ts";
import { hostCalls, logsOf, openBridge, serveTools } from "./host-programs.ts";
import { watch } from "./patience.ts";
import { sdkView } from "./sdk-view.ts";

const PREFIX = "ui/notifications/sandbox-";
const INPUT = { city: "Oslo" };
const RAIN = [{ type: "text", text: "rain" }];
const ECHO = [{ type: "text", text: "echo" }];

/** What passes between a host and a view. */
export const RELAY_SCENARIOS: readonly Scenario[] = [
  {
    id: "port-relay",
    title: "a View with our SDK gets its tool's input and result over the port and calls a tool",
    quick: true,
    async run(scene) {
      const host = await scene.open([{ name: "view", server: "sdk", html: await sdkView() }]);
      const isFirst = ({ msg }: { msg?: { method?: string } }) => msg?.method === "ui/initialize";
      const first = (await host.until((log) => log.some(isFirst))).find(isFirst);
      if (!first) return ["the view did not ask for ui/initialize"];
      await host.page.evaluate(serveTools, { id: first.msg?.id, input: INPUT, content: RAIN });
      const log = await host.until((lines) => lines.some(({ msg }) => msg?.params?.data));
      const calls = await host.page.evaluate(hostCalls, null);
      const wanted = [{ name: "report", arguments: { input: INPUT, content: RAIN } }];
      const answer = log.find(({ msg }) => msg?.params?.data)?.msg?.params?.data;
      return [
        ...unless(
          log.some(({ msg }) => msg?.method === "ui/notifications/initialized"),
          "the view was never initialized",
        ),
        ...unless(same(calls, wanted), `calls of tools: ${JSON.stringify(calls)}`),
        ...unless(
          same(answer, { answer: ECHO }),
          `the view was answered ${JSON.stringify(answer)}`,
        ),
      ];
    },
  },
  {
    id: "entrance",
    title: "the official AppBridge 2.0.4 brings the same View in through the entrance",
    async run(scene) {
      const program = await bundlePage("official-host");
      const url = scene.field.serve("/official", `<!doctype html><script>${program}</script>`);
      const page = await scene.openPage(url);
      const proxy = new URL(scene.field.sandbox.hostOrigin.replace("//app.", "//proxy.")).href;
      const isReady = () => page.evaluate(() => window.official !== undefined, null);
      await watch(isReady, Boolean);
      await page.evaluate(openBridge, { proxy, html: await sdkView() });
      const { initialized, calls, logs } = await logsOf(page);
      return [
        ...unless(initialized, "the view was never initialized"),
        ...unless(calls.length === 1, `calls of tools: ${JSON.stringify(calls)}`),
        ...unless(
          JSON.stringify(logs).includes(JSON.stringify({ answer: ECHO })),
          `the view logged ${JSON.stringify(logs)}`,
        ),
      ];
    },
  },
  {
    id: "gesture",
    title: "the mark of a real click is on messages after one, and on no other",
    async run(scene) {
      const html = scriptedView(() => {
        // A synthetic click is what a hostile view would try.
        document.body.click();
        say("loaded");
        addEventListener("click", (event) => event.isTrusted && say("clicked"));
      });
      const host = await scene.open([{ name: "view", server: "gesture", html }]);
      let log = await host.until((lines) => hasSaid(lines, "loaded"));
      // A frame that was just loaded may not be on the screen yet, and a click goes through it.
      for (let round = 0; round < 8 && !hasSaid(log, "clicked"); round += 1) {
        await host.click("view");
        log = await host.until((lines) => hasSaid(lines, "clicked"), 500);
      }
      const mark = (word: string) => log.find(({ msg }) => msg?.params?.data === word)?.act;
      return [
        ...unless(mark("loaded") === false, `on load the mark is ${mark("loaded")}`),
        ...unless(mark("clicked") === true, `after a click the mark is ${mark("clicked")}`),
      ];
    },
  },
  {
    id: "forged-sandbox-message",
    title: "messages of the sandbox's own kind pass in neither direction (SBX-12)",
    quick: true,
    async run(scene) {
      const html = scriptedView((prefix: string) => {
        addEventListener("message", ({ data }) => say({ received: data.method }));
        for (const kind of ["proxy-ready", "resource-ready", "anything"]) {
          parent.postMessage({ jsonrpc: "2.0", method: prefix + kind, params: {} }, "*");
          parent.postMessage({ jsonrpc: "2.0", id: kind, method: prefix + kind }, "*");
        }
        setTimeout(say, 300, "forged");
      }, PREFIX);
      const host = await scene.open([{ name: "view", server: "forger", html }]);
      await host.until((log) => hasSaid(log, "forged"));
      await host.page.evaluate((prefix) => {
        for (const method of [`${prefix}resource-ready`, "ui/notifications/tool-input"]) {
          window.redteam.ports.view?.postMessage({ msg: { jsonrpc: "2.0", method } });
        }
      }, PREFIX);
      const received = (lines: Parameters<typeof spoken>[0]) => JSON.stringify(spoken(lines));
      const log = await host.until((lines) => received(lines).includes("tool-input"));
      return [
        ...unlessTried(hasSaid(log, "forged"), "the view did not run"),
        ...unless(!log.some(({ msg }) => msg?.method?.startsWith(PREFIX)), "a forged one arrived"),
        ...unless(
          log.some(({ dropped }) => dropped),
          "the host wasn't notified",
        ),
        ...unless(received(log).includes("tool-input"), "the view received nothing from the host"),
        ...unless(!received(log).includes(PREFIX), "the view received the host's own message"),
      ];
    },
  },
  {
    id: "wrong-source",
    title:
      "only messages of the view's own window are accepted: not of a frame in it, not past the relay (SBX-15)",
    quick: true,
    async run(scene) {
      const html = scriptedView(() => {
        const call = (name: string) =>
          ({ jsonrpc: "2.0", id: name, method: "tools/call", params: { name } }) as const;
        addEventListener("message", ({ data }) => data === "nested" && say("nested ran"));
        const nested = document.createElement("iframe");
        nested.srcdoc = `<script>parent.parent.postMessage(${JSON.stringify(call("nested"))},"*");parent.postMessage("nested","*")</script>`;
        document.body.append(nested);
        top?.postMessage(call("past the relay"), "*");
        parent.postMessage(call("with a port"), "*", [new MessageChannel().port1]);
        setTimeout(say, 1500, "done");
      });
      const host = await scene.open([{ name: "view", server: "outsider", html }]);
      const log = await host.until((lines) => hasSaid(lines, "done"));
      const uninvited = await host.page.evaluate(() => window.redteam.uninvited, null);
      const calls = log.filter(({ msg }) => msg?.method === "tools/call");
      return [
        ...unlessTried(hasSaid(log, "nested ran"), "the nested frame did not run"),
        ...unlessTried(uninvited > 0, "the message past the relay did not reach the host"),
        ...unless(calls.length === 0, `arrived: ${JSON.stringify(calls)}`),
      ];
    },
  },
];

function same(found: unknown, wanted: unknown): boolean {
  return JSON.stringify(found) === JSON.stringify(wanted);
}
