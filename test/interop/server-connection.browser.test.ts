import { connectServer } from "@vitrine/internal/official-server";
import { describe, expect, test, vi } from "vitest";
import { mount, PAIRINGS, UNDER } from "./mounted-view.ts";

/** The whole road: View, window, official bridge, official client, a real server. */
describe.each(PAIRINGS)(UNDER, (pairing) => {
  test("tools/call is forwarded to the server, whose result comes back whole", async () => {
    const { client } = await connectServer(pairing.version);
    const { view } = await mount(pairing, { client });
    const call = { name: "forecast", arguments: { city: "Bern" } };
    expect(await view.call("callServerTool", call)).toMatchObject({
      content: [{ type: "text", text: "12 °C in Bern" }],
      structuredContent: { city: "Bern", celsius: 12 },
      _meta: { "weather/station": 7 },
    });
  });

  test("tools/call that fails in the server comes back with isError", async () => {
    const { client } = await connectServer(pairing.version);
    const { view } = await mount(pairing, { client });
    const call = { name: "forecast", arguments: { city: "Atlantis" } };
    expect(await view.call("callServerTool", call)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("under water") }],
    });
  });

  test("tools/call given up in the View aborts the tool in the server", async () => {
    const { client, aborted } = await connectServer(pairing.version);
    const { view, delivered } = await mount(pairing, { client });
    await view.begin("call", "callServerTool", { name: "slow", arguments: { id: "s1" } });
    await delivered();
    await view.abort("call", "the user left");
    expect((await view.ending("call"))?.error).toMatchObject({ message: "the user left" });
    await vi.waitFor(() => expect(aborted).toEqual(["s1"]));
  });

  test("resources/read, resources/list and prompts/list are forwarded", async () => {
    const { client } = await connectServer(pairing.version);
    const { view } = await mount(pairing, { client });
    expect(await view.call("readServerResource", { uri: "ui://weather/map" })).toMatchObject({
      contents: [{ uri: "ui://weather/map", text: "a map" }],
    });
    expect(await view.call("listServerResources")).toMatchObject({
      resources: [{ uri: "ui://weather/map", name: "map" }],
    });
    expect(await view.call("request", { method: "prompts/list" })).toMatchObject({
      prompts: [{ name: "pack" }],
    });
  });

  test("a change of the server's tools reaches the View", async () => {
    const { client, server } = await connectServer(pairing.version);
    const { view } = await mount(pairing, {
      client,
      view: (view) => view.subscribe("notifications/tools/list_changed"),
    });
    server.registerTool("late", {}, async () => ({ content: [] }));
    await vi.waitFor(async () =>
      expect(await view.received()).toMatchObject([{ event: "notifications/tools/list_changed" }]),
    );
  });
});
