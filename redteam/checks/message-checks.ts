import { setTimeout as sleep } from "node:timers/promises";
import type { TargetAddresses } from "../lab/target-addresses.ts";
import { scriptedView } from "../stage/view-document.ts";
import { type Check, hasSaid, unless, unlessTried } from "./check.ts";

/** Everything a window can post that is not an honest message of the view. */
export const MESSAGE_CHECKS: readonly Check[] = [
  {
    id: "foreign-senders",
    title: "messages of frames inside the view are not relayed, whatever their origin",
    entries: [72],
    stages: ["tier-1", "tier-2"],
    quick: true,
    async run(scene) {
      const declared = await scene.trap();
      const html = scriptedView(({ declarable }: TargetAddresses) => {
        const nested = document.createElement("iframe");
        // On the view's own origin: only the window tells it from the view.
        nested.srcdoc = `<script>parent.parent.postMessage({jsonrpc:"2.0",method:"notifications/message",params:{data:"from a nested frame"}},"*")</script>`;
        const remote = document.createElement("iframe");
        remote.src = `${declarable}/speak`;
        document.body.append(nested, remote);
        setTimeout(() => say("done"), 900);
      }, declared);
      const csp = { frameDomains: [declared.declarable] };
      const approved = [{ list: "frameDomains" as const, source: declared.declarable }];
      const host = await scene.open([{ name: "view", server: declared.cell, html, csp, approved }]);
      const log = JSON.stringify(await host.until((lines) => hasSaid(lines, "done")));
      return [
        ...unlessTried(log.includes('"done"'), "the view did not run"),
        ...unlessTried(declared.caught().length > 0, "the nested page was not loaded"),
        ...unless(
          !log.includes("from a nested frame"),
          "messages of a nested frame were accepted as the view's",
        ),
        ...unless(
          !log.includes("sent-by-an-outsider"),
          "messages of a remote frame were accepted as the view's",
        ),
      ];
    },
  },
  {
    id: "reserved-methods",
    title: "a view can't send as the sandbox, nor transfer its own port to the host",
    entries: [76, 77],
    stages: ["tier-1", "tier-2", "tier-3"],
    quick: true,
    async run(scene) {
      const html = scriptedView(() => {
        const method = "ui/notifications/sandbox-";
        for (const name of ["resource-ready", "proxy-ready", "anything"]) {
          const params = { html: "<p>forged", sandbox: "allow-top-navigation", csp: {} };
          const forged = { jsonrpc: "2.0", method: method + name, params };
          for (const target of [parent, top as Window]) {
            target.postMessage(forged, "*");
            target.postMessage({ vitrine: "port" }, "*", [new MessageChannel().port2]);
          }
          say({ killed: { code: "forged" } });
        }
        say("done");
      });
      const host = await scene.open([{ name: "view", server: "forger", html }]);
      await host.until((lines) => hasSaid(lines, "done"));
      await sleep(300);
      const log = await host.log();
      return [
        ...unlessTried(hasSaid(log, "done"), "the view did not run"),
        ...unless(
          !log.some(({ msg }) => msg?.method?.startsWith("ui/notifications/sandbox-")),
          "a reserved method reached the host",
        ),
        ...unless(!log.some(({ killed }) => killed), "the view sent a message as the sandbox"),
        ...unless(
          (await host.page.evaluate(() => Object.keys(window.redteam.ports).length)) === 1,
          "the host took another port",
        ),
      ];
    },
  },
  {
    id: "exotic-values",
    title: "what is not JSON-RPC in plain JSON is dropped",
    entries: [81, 82, 83, 84],
    stages: ["tier-1", "tier-2", "tier-3"],
    quick: true,
    async run(scene) {
      const html = scriptedView(() => {
        const post = (message: unknown, transfer?: Transferable[]) => {
          try {
            parent.postMessage(message, "*", transfer);
          } catch {
            // What cannot be cloned never leaves.
          }
        };
        const wrap = (params: unknown, method = "exotic") => ({ jsonrpc: "2.0", method, params });
        const cycle: Record<string, unknown> = {};
        cycle.self = cycle;
        let deep: Record<string, unknown> = {};
        for (let level = 0; level < 2000; level += 1) deep = { deep };
        for (const value of [cycle, deep, { n: 1n }, { m: new Map([[1, 2]]) }, { b: new Blob() }]) {
          post(wrap(value));
        }
        for (const value of [new Error("x"), new File([], "f"), /x/, new Set([1])]) {
          post(wrap({ value }));
        }
        post(wrap({}, "port"), [new MessageChannel().port2]);
        const stream = new ReadableStream();
        post(wrap({ stream }, "stream"), [stream as unknown as Transferable]);
        for (const value of [null, 1, "text", true, undefined, [], [wrap({})], new Date()]) {
          post(value);
        }
        for (const jsonrpc of ["1.0", 2, ["2.0"], undefined]) post({ jsonrpc, method: "exotic" });
        post({ jsonrpc: "2.0", method: ["tools/call"], params: {} });
        post(
          JSON.parse(
            '{"jsonrpc":"2.0","method":"proto","params":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
          ),
        );
        // Refusals cost tokens: the last word waits until there are some again.
        setTimeout(() => say("done"), 2500);
      });
      const host = await scene.open([{ name: "view", server: "exotic", html }]);
      const log = await host.until((lines) => hasSaid(lines, "done"));
      const methods = new Set(log.flatMap(({ msg }) => (msg ? [String(msg.method)] : [])));
      const polluted = await host.page.evaluate(
        () => (Object.prototype as { polluted?: unknown }).polluted,
      );
      return [
        ...unlessTried(hasSaid(log, "done"), "no message of the view arrived afterwards"),
        ...["exotic", "port", "stream", "tools/call", "undefined"]
          .filter((method) => methods.has(method))
          .map((method) => `"${method}" reached the host`),
        ...unless(polluted === undefined, "the host's prototype was changed"),
      ];
    },
  },
  {
    id: "early-messages",
    title: "messages that a view sends during its start arrive in order, once",
    entries: [78],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const delays = [0, 1, 5, 20, 60, 150, 300, 500];
      const html = scriptedView((times: number[]) => {
        say(-1);
        for (const time of times) setTimeout(() => say(time), time);
      }, delays);
      const host = await scene.open([{ name: "view", server: "early", html }]);
      await host.until((lines) => hasSaid(lines, 500));
      const said = await host.said();
      const order = (await host.log()).flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
      return [
        ...unless(said.join() === [-1, ...delays].join(), `arrived: ${said.join()}`),
        ...unless(
          order.every((seq, at) => seq === at),
          `numbered: ${order.join()}`,
        ),
      ];
    },
  },
];
