import type { Progress } from "@vitrine/protocol";
import { describe, expect, test } from "vitest";
import { STATION_VIEW, WeatherStation } from "./weather-station.ts";

type ListName = "tools" | "resources" | "prompts";

// The shape of `Upstream` in `@vitrine/host`, which this package does not depend on.
interface AnyUpstream {
  readonly server: string;
  readonly capabilities: object;
  // biome-ignore lint/suspicious/noExplicitAny: its results are typed by method there.
  request(method: never, params: never, options?: object): Promise<any>;
  onListChanged(listener: (list: ListName) => void): () => void;
}

/** An upstream called "ours" to a weather station, and what is left to clean up. */
export interface OpenUpstream {
  upstream: AnyUpstream;
  dispose?(): unknown;
}

const all: ListName[] = ["tools", "resources", "prompts"];

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; n < 1000; n++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("It did not become true within twenty seconds.");
}

/** What every upstream must do, whatever is behind it. */
export function testUpstream(name: string, open: () => Promise<OpenUpstream> | OpenUpstream): void {
  const withUpstream =
    (body: (ask: AnyUpstream["request"], upstream: AnyUpstream) => Promise<void>) => async () => {
      const { upstream, dispose } = await open();
      try {
        await body(
          (method, params, options) => upstream.request(method, params, options),
          upstream,
        );
      } finally {
        await dispose?.();
      }
    };
  const request = (ask: AnyUpstream["request"], method: string, params: object, options?: object) =>
    ask(method as never, params as never, options);
  const call = (ask: AnyUpstream["request"], tool: string, given: object, options?: object) =>
    request(ask, "tools/call", { name: tool, arguments: given }, options);

  describe(`${name} keeps the upstream contract`, { timeout: 20_000 }, () => {
    test(
      "it has the Host's name for the Server and offers what the Server does",
      withUpstream(async (_, upstream) => {
        const offer = { listChanged: true };
        expect(upstream.server).toBe("ours");
        expect(upstream.capabilities).toMatchObject({
          tools: offer,
          resources: offer,
          prompts: offer,
        });
      }),
    );

    test(
      "a tool's result comes back as it was sent, with what no schema knows",
      withUpstream(async (ask) => {
        const result = await call(ask, "forecast", { city: "Tromsø 🌨" });
        const station = new WeatherStation(() => new Error());
        const sent = await station.callTool(
          { name: "forecast", arguments: { city: "Tromsø 🌨" } },
          {} as never,
        );
        expect(result).toMatchObject(sent);
        // A server of 2026-07-28 adds its name to `_meta`.
        expect(Object.keys(result).sort()).toEqual(Object.keys(sent).sort());
        expect(result.content).toEqual(sent.content);
      }),
    );

    test(
      "a tool that failed is a result, not an error",
      withUpstream(async (ask) => {
        const result = await call(ask, "fail", {});
        expect(result).toMatchObject({ isError: true, content: [{ text: "The mast is down" }] });
      }),
    );

    test(
      "the Server's error arrives with its code, message and data",
      withUpstream(async (ask) => {
        const error = await call(ask, "refuse", {}).catch((thrown) => thrown);
        expect({ ...error, message: error.message }).toEqual({
          name: "RpcError",
          code: -31999,
          message: "Not in winter",
          data: { season: "winter" },
        });
      }),
    );

    test(
      "a list comes page by page, each as it was sent",
      withUpstream(async (ask) => {
        const first = await request(ask, "tools/list", {});
        expect(first).toMatchObject({ nextCursor: "2", "station/extra": 1 });
        expect(first.tools).toHaveLength(4);
        expect(first.tools[0]).toMatchObject({
          name: "forecast",
          _meta: { "station/unit": "forecast" },
        });
        const second = await request(ask, "tools/list", { cursor: "2" });
        expect(second.tools.map((tool: { name: string }) => tool.name)).toEqual([
          "refuse",
          "fail",
          "echo",
        ]);
        expect(second.nextCursor).toBeUndefined();
      }),
    );

    test(
      "HST-12: a View's requests for resources, templates and prompts are forwarded and answered",
      withUpstream(async (ask) => {
        const { contents } = await request(ask, "resources/read", { uri: STATION_VIEW });
        const station = new WeatherStation(() => new Error());
        expect(contents).toEqual(station.readResource({ uri: STATION_VIEW }).contents);
        const { resources } = await request(ask, "resources/list", {});
        expect(resources).toEqual(station.listResources().resources);
        const { resourceTemplates } = await request(ask, "resources/templates/list", {});
        expect(resourceTemplates).toEqual(station.listResourceTemplates().resourceTemplates);
        const { prompts } = await request(ask, "prompts/list", {});
        expect(prompts).toEqual(station.listPrompts().prompts);
      }),
    );

    test(
      "a resource that is not there is the Server's error",
      withUpstream(async (ask) => {
        const error = await request(ask, "resources/read", { uri: "ui://none" }).catch((e) => e);
        expect(error).toMatchObject({ name: "RpcError", code: -32602, message: "No ui://none" });
      }),
    );

    test(
      "requests at the same time get their own answers",
      withUpstream(async (ask) => {
        const cities = ["Oslo", "Bergen", "Alta", "Bodø", "Moss"];
        const results = await Promise.all(cities.map((city) => call(ask, "forecast", { city })));
        expect(results.map((result) => result.structuredContent.city)).toEqual(cities);
      }),
    );

    test(
      "HST-13: progress reaches who asked for it, in order",
      withUpstream(async (ask) => {
        const seen: Progress[] = [];
        const onprogress = (progress: Progress) => seen.push(progress);
        await call(ask, "slow", { id: "short" }, { onprogress });
        await until(() => seen.length === 2);
        expect(seen).toMatchObject([
          { progress: 1, total: 3, message: "wind" },
          { progress: 2, total: 3 },
        ]);
      }),
    );

    test(
      "HST-13: an abort rejects with its reason, and cancels the Server's tool",
      withUpstream(async (ask) => {
        const controller = new AbortController();
        const reason = new Error("The View went away");
        let started = () => {};
        const running = new Promise<void>((resolve) => {
          started = resolve;
        });
        const { signal } = controller;
        const pending = call(ask, "slow", { id: "long" }, { signal, onprogress: () => started() });
        await running;
        controller.abort(reason);
        await expect(pending).rejects.toBe(reason);
        await until(async () => {
          const { content } = await call(ask, "aborted", {});
          return JSON.parse(content[0].text).includes("long");
        });
      }),
    );

    test(
      "a request whose signal is aborted already is never made",
      withUpstream(async (ask) => {
        const reason = new Error("too late");
        const signal = AbortSignal.abort(reason);
        await expect(call(ask, "slow", { id: "never" }, { signal })).rejects.toBe(reason);
        const { content } = await call(ask, "aborted", {});
        expect(JSON.parse(content[0].text)).not.toContain("never");
      }),
    );

    test(
      "each listener is notified of every changed list, until it unsubscribes",
      withUpstream(async (ask, upstream) => {
        const received: string[] = [];
        const other: string[] = [];
        const undo = upstream.onListChanged((list) => received.push(list));
        const undoOther = upstream.onListChanged((list) => other.push(list));
        // A server of 2026-07-28 tells only once it has been asked.
        await until(async () => {
          await call(ask, "change", { list: "tools" });
          return received.length > 0;
        });
        for (const list of all) {
          await call(ask, "change", { list });
          await until(() => received.includes(list) && other.includes(list));
        }
        undo();
        undo();
        const before = [...received];
        const others = other.length;
        await call(ask, "change", { list: "prompts" });
        await until(() => other.length > others);
        expect(received).toEqual(before);
        undoOther();
      }),
    );
  });
}
