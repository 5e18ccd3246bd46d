import type { BridgeVersion } from "@vitrine/internal/official-bridge";
import { connectServer } from "@vitrine/internal/official-server";
import { describe, expect, test, vi } from "vitest";
import { connectView, SDKS } from "./connected-view.ts";

const VERSIONS: BridgeVersion[] = ["2.0.4", "1.7.5"];
const consent = (): boolean => true;

/** The whole road: an official View, our bridge, an official client, a real server. */
describe.each(VERSIONS)("an official client of the generation of ext-apps %s", (version) => {
  test.each(SDKS)(
    "is given to the bridge as it is, and serves a View of %s (HST-10, HST-12)",
    async (sdk) => {
      const { client, started, aborted } = await connectServer(version);
      const { app } = await connectView(sdk, {
        client,
        consent,
        view: { key: "1", server: "weather" },
      });
      expect(app.getHostCapabilities()).toMatchObject({
        serverTools: { listChanged: true },
        serverResources: { listChanged: true },
      });
      expect(
        await app.callServerTool({ name: "forecast", arguments: { city: "Bern" } }),
      ).toMatchObject({
        content: [{ type: "text", text: "12 °C in Bern" }],
        structuredContent: { city: "Bern", celsius: 12 },
        _meta: { "weather/station": 7 },
      });
      expect(
        await app.callServerTool({ name: "forecast", arguments: { city: "Atlantis" } }),
      ).toMatchObject({
        isError: true,
      });
      await expect(app.callServerTool({ name: "nowhere" })).rejects.toMatchObject({ code: -32000 });
      expect(await app.readServerResource({ uri: "ui://weather/map" })).toMatchObject({
        contents: [{ text: "a map" }],
      });
      const controller = new AbortController();
      const slow = app.callServerTool(
        { name: "slow", arguments: { id: "s1" } },
        { signal: controller.signal },
      );
      await vi.waitFor(() => expect(started).toEqual(["s1"]));
      controller.abort(new Error("enough"));
      await expect(slow).rejects.toThrow("enough");
      await vi.waitFor(() => expect(aborted).toEqual(["s1"]));
    },
  );

  test("notifies several Views and the Host's own handler of changes (HST-10)", async () => {
    const { client, server } = await connectServer(version);
    const own = vi.fn();
    const { transport } = client as unknown as { transport: { onmessage(message: unknown): void } };
    const before = transport.onmessage;
    transport.onmessage = function (this: unknown, ...args) {
      own(args[0]);
      before.apply(this, args);
    };
    const views = await Promise.all(SDKS.map((sdk) => connectView(sdk, { client, consent })));
    server.registerTool("late", {}, async () => ({ content: [] }));
    for (const { methods } of views) {
      await vi.waitFor(() => expect(methods("host")).toContain("notifications/tools/list_changed"));
    }
    expect(own).toHaveBeenCalledWith(
      expect.objectContaining({ method: "notifications/tools/list_changed" }),
    );
    for (const { app } of views) {
      expect(await app.callServerTool({ name: "late" })).toEqual({ content: [] });
    }
  });
});
