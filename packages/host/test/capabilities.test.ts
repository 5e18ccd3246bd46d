import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AppBridge } from "../src/bridge/bridge.ts";
import { deriveCapabilities } from "../src/bridge/capabilities.ts";
import { connect } from "./raw-view.ts";
import { scriptedUpstream } from "./scripted-upstream.ts";

const everything = (bridge: AppBridge): void => {
  bridge.onopenlink = () => ({});
  bridge.ondownloadfile = () => ({});
  bridge.onmessage = () => ({});
  bridge.onupdatemodelcontext = () => ({});
  bridge.onloggingmessage = () => {};
  bridge.oncreatesamplingmessage = () => ({}) as never;
};

describe("capabilities", () => {
  test("are what somebody handles at the time of ui/initialize (HST-82)", async () => {
    const { view, bridge } = await connect();
    expect(bridge.getCapabilities()).toEqual({});
    everything(bridge);
    expect((await view.hello()).hostCapabilities).toEqual({
      openLinks: {},
      downloadFile: {},
      logging: {},
      message: { text: {} },
      updateModelContext: { text: {}, structuredContent: {} },
      sampling: {},
    });
    expect(bridge.getCapabilities()).toMatchObject({ sampling: {} });
  });

  test("that were given but that nothing handles are left out", async () => {
    const given = {
      openLinks: {},
      downloadFile: {},
      message: { text: {} },
      sampling: { tools: {} },
      serverTools: { listChanged: true },
      serverResources: {},
      logging: {},
    };
    const { view } = await connect({ capabilities: given });
    expect((await view.hello()).hostCapabilities).toEqual({});
  });

  test("take their parameters from what was given", async () => {
    const { view } = await connect({
      capabilities: {
        message: { text: {}, image: {} },
        updateModelContext: { resourceLink: {} },
        sampling: { tools: {} },
        serverTools: { listChanged: true },
        experimental: { "vendor/x": { level: 2 } },
      },
      prepare: (bridge) => {
        everything(bridge);
        bridge.oncalltool = () => ({ content: [] });
      },
    });
    expect((await view.hello()).hostCapabilities).toMatchObject({
      message: { text: {}, image: {} },
      updateModelContext: { resourceLink: {} },
      sampling: { tools: {} },
      serverTools: { listChanged: true },
      experimental: { "vendor/x": { level: 2 } },
    });
  });

  test("never are booleans, nor anything else that official Views refuse", async () => {
    const { view, said } = await connect({
      capabilities: {
        openLinks: true,
        message: { text: true, smell: {} },
        experimental: { "vendor/x": true },
        sandbox: { permissions: { camera: true } },
      } as never,
      prepare: everything,
    });
    expect((await view.hello()).hostCapabilities).toMatchObject({
      openLinks: {},
      message: { text: {} },
    });
    expect((await view.hello()).hostCapabilities).not.toHaveProperty("sandbox");
    expect((await view.hello()).hostCapabilities).not.toHaveProperty("experimental");
    expect(said("left-out").length).toBeGreaterThanOrEqual(2);
  });

  test("say what the Sandbox granted, also where that is known late", async () => {
    const early = { csp: { connectDomains: ["https://a.example"] } };
    const { view, bridge } = await connect({ sandbox: early });
    expect(bridge.sandbox).toEqual(early);
    const late = { csp: { connectDomains: [] }, permissions: { camera: {} } };
    bridge.sandbox = late;
    expect((await view.hello()).hostCapabilities).toEqual({ sandbox: late });
  });

  test("of the Server are those that it has", async () => {
    const upstream = scriptedUpstream({
      capabilities: { tools: {}, prompts: { listChanged: true } },
    });
    const { view } = await connect({ client: upstream });
    expect((await view.hello()).hostCapabilities).toEqual({ serverTools: {} });
  });

  test("for every set of handlers: a method is declared exactly if it is handled", () => {
    const declared = {
      "ui/open-link": "openLinks",
      "ui/download-file": "downloadFile",
      "ui/message": "message",
      "ui/update-model-context": "updateModelContext",
      "notifications/message": "logging",
      "sampling/createMessage": "sampling",
      "tools/call": "serverTools",
      "resources/read": "serverResources",
    } as const;
    const methods = Object.keys(declared) as (keyof typeof declared)[];
    fc.assert(
      fc.property(fc.subarray(methods), fc.boolean(), (handled, isGiven) => {
        const given = isGiven
          ? Object.fromEntries(Object.values(declared).map((name) => [name, {}]))
          : {};
        const capabilities = deriveCapabilities({
          given,
          handles: (method) => handled.includes(method as never),
          server: {},
          extensions: [],
        });
        expect(Object.keys(capabilities).sort()).toEqual(handled.map((it) => declared[it]).sort());
      }),
    );
  });
});
