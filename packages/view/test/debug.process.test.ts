import { ScriptedHost, turn } from "@vitrine/internal/scripted-host";
// The development build on purpose: importing it is what these tests are about.
import { App, type LocalError, type McpUiAppCapabilities } from "@vitrine/view/debug";
import { describe, expect, test } from "vitest";

const info = { name: "test", version: "1.0.0" };

/** A connected App and what its `onerror` received. */
async function connect(
  script: ConstructorParameters<typeof ScriptedHost>[0] = {},
  capabilities: McpUiAppCapabilities = {},
): Promise<{ app: App; host: ScriptedHost; errors: LocalError[] }> {
  const host = new ScriptedHost(script);
  const app = new App(info, capabilities, { autoResize: false });
  const errors: LocalError[] = [];
  app.onerror = (error) => errors.push(error as LocalError);
  await app.connect(host.view);
  return { app, host, errors };
}

const about = (errors: LocalError[]): string[] =>
  errors.map(({ code, message }) => `${code} ${/sends (.*), a name/.exec(message)?.[1]}`);

describe("errors in the development build", () => {
  test("explain how to write a positional call", async () => {
    const { app } = await connect();
    await expect(app.callServerTool("search" as never)).rejects.toThrow(
      'Write callServerTool({ name: "search"',
    );
    await expect(app.openLink("https://example.com" as never)).rejects.toThrow("openLink({ url:");
    await expect(app.request({ method: "x/y", params: "z" as never })).rejects.toThrow(
      '{ method: "x/y", params: { … } }',
    );
  });

  test("explain what to do before connecting", async () => {
    const app = new App(info);
    await expect(app.sendLog({ level: "info", data: 1 })).rejects.toThrow("await app.connect()");
  });

  test("keep their code, which programs switch on", async () => {
    const app = new App(info);
    await expect(app.callServerTool({ name: "x" })).rejects.toMatchObject({
      name: "LocalError",
      code: "not-connected",
    });
  });
});

describe("old spellings", () => {
  test.each([
    ["ui/toolInput", "ui/notifications/tool-input"],
    ["ui/toolResult", "ui/notifications/tool-result"],
    ["ui/tool-cancelled", "ui/notifications/tool-cancelled"],
    ["ui/host-context-change", "ui/notifications/host-context-changed"],
    ["ui/notifications/context-update", "ui/notifications/host-context-changed"],
  ])("%s is named, once", async (old, today) => {
    const { host, errors } = await connect();
    host.notify(old, {});
    host.notify(old, {});
    await turn();
    expect(about(errors)).toEqual([`old-spelling "${old}" for "${today}"`]);
  });

  test("ui/teardown is named and still answered", async () => {
    const { host, errors } = await connect();
    expect(await host.request("ui/teardown")).toMatchObject({ result: {} });
    expect(about(errors)).toEqual(['old-spelling "ui/teardown" for "ui/resource-teardown"']);
  });

  test("a nested hostContext and its style are named and still read", async () => {
    const { app, host, errors } = await connect();
    const style = { variables: { "--font-sans": "Inter" } };
    host.notify("ui/notifications/host-context-changed", { hostContext: { theme: "dark" } });
    host.notify("ui/notifications/host-context-changed", { style });
    await turn();
    expect(about(errors)).toEqual([
      'old-spelling "params.hostContext" for "params"',
      'old-spelling "hostContext.style" for "hostContext.styles"',
    ]);
    expect(app.getHostContext()).toMatchObject({ theme: "dark", styles: style });
  });

  test("the capability names of early hosts are named and still read", async () => {
    const hostCapabilities = { tools: {}, resources: {} };
    const { app, errors } = await connect({ hostCapabilities, hostContext: { style: {} } });
    await turn();
    expect(about(errors)).toEqual([
      'old-spelling "hostCapabilities.tools" for "hostCapabilities.serverTools"',
      'old-spelling "hostCapabilities.resources" for "hostCapabilities.serverResources"',
      'old-spelling "hostContext.style" for "hostContext.styles"',
    ]);
    expect(app.getHostCapabilities()).toMatchObject({ serverTools: {}, serverResources: {} });
  });

  test("are found in messages that come as text", async () => {
    const { host, errors } = await connect();
    host.send('{"jsonrpc":"2.0","method":"ui/toolInput","params":{}}');
    await turn();
    expect(errors).toHaveLength(1);
  });

  test("are reported to the page where the App has no onerror", async () => {
    const reported: unknown[] = [];
    globalThis.reportError = (error) => reported.push(error);
    const { app, host } = await connect();
    app.onerror = undefined;
    host.notify("ui/toolInput", {});
    await turn();
    expect(reported).toEqual([expect.objectContaining({ code: "old-spelling" })]);
    Reflect.deleteProperty(globalThis, "reportError");
  });

  test("do not take the message away from its listeners", async () => {
    const { app, host } = await connect();
    const inputs: unknown[] = [];
    app.ontoolinput = (input) => inputs.push(input);
    host.notify("ui/toolInput", { arguments: { a: 1 } });
    await turn();
    expect(inputs).toEqual([{ arguments: { a: 1 } }]);
  });
});

describe("a Host and a View that do everything right", () => {
  test("get no reports from the inspection", async () => {
    const { app, host, errors } = await connect({
      hostCapabilities: { serverTools: {}, openLinks: {} },
      hostContext: { theme: "dark", styles: { variables: {} }, availableDisplayModes: ["inline"] },
    });
    host.notify("ui/notifications/tool-input-partial", { arguments: {} });
    host.notify("ui/notifications/tool-input", { arguments: {} });
    host.notify("ui/notifications/tool-result", { content: [] });
    host.notify("ui/notifications/host-context-changed", { styles: {} });
    host.notify("notifications/tools/list_changed");
    await app.requestDisplayMode({ mode: "inline" });
    await host.request("ui/resource-teardown", { reason: "done" });
    expect(errors).toEqual([]);
  });

  test("nor do messages that nobody can read", async () => {
    const { host, errors } = await connect();
    for (const message of [null, 7, [], {}, { jsonrpc: "2.0", method: "constructor" }]) {
      host.send(message);
    }
    await turn();
    expect(errors.filter(({ code }) => code === "old-spelling")).toEqual([]);
  });
});

describe("what a View did not declare", () => {
  test("a display mode it asks for is named (VEW-03)", async () => {
    const { app, errors } = await connect();
    await app.requestDisplayMode({ mode: "fullscreen" });
    await app.requestDisplayMode({ mode: "fullscreen" });
    expect(errors.map(({ code }) => code)).toEqual(["undeclared-mode"]);
    expect(errors[0]?.message).toContain('"fullscreen"');
  });

  test("a display mode that it did declare is not", async () => {
    const modes = { availableDisplayModes: ["inline" as const, "fullscreen" as const] };
    const { app, errors } = await connect({}, modes);
    await app.requestDisplayMode({ mode: "fullscreen" });
    expect(errors).toEqual([]);
  });

  test("a tool registered too late is named", async () => {
    const { app, errors } = await connect();
    app.registerTool("late", {}, () => ({ content: [] }));
    await turn();
    expect(errors.map(({ code }) => code)).toEqual(["undeclared-tools"]);
    expect(errors[0]?.message).toContain('"late"');
  });

  test("a tool registered late is not, where tools were declared, or between connections", async () => {
    const { app, errors } = await connect({}, { tools: { listChanged: true } });
    app.registerTool("late", {}, () => ({ content: [] }));
    const again = await connect();
    await again.app.close();
    again.app.registerTool("early", {}, () => ({ content: [] }));
    await turn();
    expect([...errors, ...again.errors]).toEqual([]);
  });
});
