import { turn } from "@vitrine/internal/scripted-host";
import type { App } from "@vitrine/view";
import { describe, expect, expectTypeOf, test } from "vitest";
import { connectApp } from "./connect-app.ts";

const N = "ui/notifications/";
const EVENTS = [
  ["toolinput", `${N}tool-input`, { arguments: { city: "Bern" } }],
  ["toolinputpartial", `${N}tool-input-partial`, { arguments: { city: "Be" } }],
  ["toolresult", `${N}tool-result`, { content: [], structuredContent: { t: 7 }, _meta: { m: 1 } }],
  ["toolcancelled", `${N}tool-cancelled`, { reason: "user" }],
  ["hostcontextchanged", `${N}host-context-changed`, { theme: "dark" }],
] as const;

describe("each event", () => {
  test.each(EVENTS)(
    "%s reaches its on* handler with the params of %s",
    async (event, method, params) => {
      const received: unknown[] = [];
      const { app, host } = await connectApp();
      app[`on${event}`] = (value: unknown) => received.push(value);
      expect(app[`on${event}`]).toBeTypeOf("function");
      host.notify(method, params);
      await turn();
      expect(received).toEqual([params]);
    },
  );

  test.each(EVENTS)(
    "%s reaches every listener, in addition to the on* handler",
    async (event, method, params) => {
      const received: string[] = [];
      const { app, host } = await connectApp();
      const first = (): void => void received.push("first");
      app[`on${event}`] = () => received.push("handler");
      app.addEventListener(event, first);
      app.addEventListener(event, () => received.push("second"));
      host.notify(method, params);
      await turn();
      app.removeEventListener(event, first);
      host.notify(method, params);
      await turn();
      expect(received).toEqual(["handler", "first", "second", "handler", "second"]);
    },
  );

  test("an on* handler is replaced by the next, and removed by undefined", async () => {
    const received: string[] = [];
    const { app, host } = await connectApp();
    app.ontoolresult = () => received.push("old");
    app.ontoolresult = () => received.push("new");
    host.notify(`${N}tool-result`, { content: [] });
    await turn();
    app.ontoolresult = undefined;
    host.notify(`${N}tool-result`, { content: [] });
    await turn();
    expect(received).toEqual(["new"]);
    expect(app.ontoolresult).toBeUndefined();
  });

  test("one function may listen to several events and leave one of them", async () => {
    const { app, host } = await connectApp();
    let count = 0;
    const listener = (): void => void count++;
    app.addEventListener("toolinput", listener);
    app.addEventListener("toolresult", listener);
    app.removeEventListener("toolinput", listener);
    host.notify(`${N}tool-input`, {});
    host.notify(`${N}tool-result`, { content: [] });
    await turn();
    expect(count).toBe(1);
  });

  test("a listener that throws is reported to onerror, and the others still run", async () => {
    const { app, host } = await connectApp();
    const errors: unknown[] = [];
    app.onerror = (error) => errors.push(error);
    app.addEventListener("toolresult", () => {
      throw new Error("author's bug");
    });
    let received = false;
    app.addEventListener("toolresult", () => {
      received = true;
    });
    host.notify(`${N}tool-result`, { content: [] });
    await turn();
    expect(received).toBe(true);
    expect(errors).toMatchObject([{ message: "author's bug" }]);
  });

  test("without params is delivered with an empty object", async () => {
    const { app, host } = await connectApp();
    const received: unknown[] = [];
    app.ontoolcancelled = (params) => received.push(params);
    host.notify(`${N}tool-cancelled`);
    await turn();
    expect(received).toEqual([{}]);
  });
});

describe("what comes before anyone listens (VEW-27)", () => {
  test("is delivered to a late listener: input, then result, in order", async () => {
    const { app, host } = await connectApp();
    host.notify(`${N}tool-input`, { arguments: { a: 1 } });
    host.notify(`${N}tool-result`, { content: [], structuredContent: { b: 2 } });
    await turn();
    const received: unknown[] = [];
    app.ontoolresult = ({ structuredContent }) => received.push(structuredContent);
    app.ontoolinput = (params) => received.push(params.arguments);
    expect(received).toEqual([]);
    await turn();
    expect(received).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test("also when it follows initialized at once, before connect has returned to the author", async () => {
    const received: unknown[] = [];
    const { app, host } = await connectApp();
    host.notify(`${N}tool-cancelled`, { reason: "stopped" });
    await turn();
    app.addEventListener("toolcancelled", ({ reason }) => received.push(reason));
    await turn();
    expect(received).toEqual(["stopped"]);
  });

  test("is not delivered again to a component that re-subscribes on every render", async () => {
    const { app, host } = await connectApp();
    host.notify(`${N}tool-result`, { content: [] });
    let renders = 0;
    for (let i = 0; i < 5; i++) {
      const listener = (): void => void renders++;
      app.addEventListener("toolresult", listener);
      await turn();
      app.removeEventListener("toolresult", listener);
    }
    expect(renders).toBe(1);
  });
});

describe("partial input", () => {
  test("without a listener isn't an error and isn't kept (VEW-08)", async () => {
    const { app, host } = await connectApp();
    const errors: unknown[] = [];
    app.onerror = (error) => errors.push(error);
    host.notify(`${N}tool-input-partial`, { arguments: { a: 1 } });
    await turn();
    const received: unknown[] = [];
    app.ontoolinputpartial = (params) => received.push(params);
    await turn();
    expect(received).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("renders progressively where the View wants it (VEW-08)", async () => {
    const { app, host } = await connectApp();
    const received: unknown[] = [];
    app.ontoolinputpartial = ({ arguments: args }) => received.push(args);
    for (const rows of [[], ["a"], ["a", "b"]]) {
      host.notify(`${N}tool-input-partial`, { arguments: { rows } });
    }
    await turn();
    expect(received).toEqual([{ rows: [] }, { rows: ["a"] }, { rows: ["a", "b"] }]);
  });

  test("is an event of its own, never mistaken for the complete input (VEW-09)", async () => {
    const { app, host } = await connectApp();
    const complete: unknown[] = [];
    app.ontoolinput = (params) => complete.push(params);
    app.ontoolinputpartial = () => {};
    host.notify(`${N}tool-input-partial`, { arguments: { delete: "/ho" } });
    host.notify(`${N}tool-input`, { arguments: { delete: "/home/tmp" } });
    await turn();
    expect(complete).toEqual([{ arguments: { delete: "/home/tmp" } }]);
    // Both are optional records of unknown: nothing in the type claims that a field is there.
    expectTypeOf<NonNullable<App["ontoolinputpartial"]>>()
      .parameter(0)
      .toHaveProperty("arguments")
      .toEqualTypeOf<Record<string, unknown> | undefined>();
  });

  test("may lose, gain and change fields from one to the next (VEW-10)", async () => {
    const { app, host } = await connectApp();
    const received: unknown[] = [];
    app.onerror = (error) => received.push(error);
    app.ontoolinputpartial = ({ arguments: args }) => received.push(args);
    const partials = [
      {},
      { arguments: undefined },
      { arguments: {} },
      { arguments: { a: "1" } },
      { arguments: { a: 1, b: { c: [] } } },
      { arguments: { b: null } },
      { arguments: { a: [1, 2] } },
    ];
    for (const partial of partials) host.notify(`${N}tool-input-partial`, partial);
    await turn();
    expect(received).toEqual(partials.map(({ arguments: args }) => args));
  });
});

describe("names from before the stable release", () => {
  test.each([
    ["ui/toolInput", "toolinput", { arguments: {} }],
    ["ui/toolResult", "toolresult", { content: [] }],
    ["ui/tool-cancelled", "toolcancelled", { reason: "x" }],
    ["ui/host-context-change", "hostcontextchanged", { theme: "dark" }],
    ["ui/notifications/context-update", "hostcontextchanged", { theme: "dark" }],
  ] as const)("%s is delivered as %s", async (method, event, params) => {
    const { app, host } = await connectApp();
    const received: unknown[] = [];
    app.addEventListener(event, (value) => received.push(value));
    host.notify(method, params);
    await turn();
    expect(received).toEqual([params]);
  });

  test("ui/teardown is answered like ui/resource-teardown", async () => {
    const { app, host } = await connectApp();
    app.onteardown = () => ({ saved: true });
    expect(await host.request("ui/teardown")).toMatchObject({ result: { saved: true } });
  });

  test("messages that are JSON text are read", async () => {
    const { app, host } = await connectApp();
    const received: unknown[] = [];
    app.ontoolresult = ({ structuredContent }) => received.push(structuredContent);
    const text = { jsonrpc: "2.0", method: `${N}tool-result`, params: { structuredContent: 1 } };
    host.send(JSON.stringify(text));
    await turn();
    expect(received).toEqual([1]);
  });
});
