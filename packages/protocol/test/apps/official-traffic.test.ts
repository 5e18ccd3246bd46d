import { InMemoryTransport } from "@modelcontextprotocol/client";
import { App } from "ext-apps-v2";
import { AppBridge } from "ext-apps-v2/app-bridge";
import { beforeAll, describe, expect, test } from "vitest";
import { describeMismatch, type Mismatch } from "../../src/apps/mismatch.ts";
import { decideMethod, type Session } from "../../src/apps/policy.ts";
import { validateNotification, validateRequest, validateResult } from "../../src/apps/validate.ts";

/** One message of a session between the official View and the official Host. */
interface Line {
  from: "view" | "host";
  message: { id?: number; method?: string; params?: unknown; result?: unknown };
}

const text = { type: "text" as const, text: "hello" };
const tool = { name: "clock", inputSchema: { type: "object" as const } };
const hostCapabilities = {
  openLinks: {},
  downloadFile: {},
  serverTools: { listChanged: true },
  serverResources: { listChanged: true },
  logging: {},
  message: { text: {} },
  updateModelContext: { text: {}, structuredContent: {} },
  sampling: { tools: {} },
  sandbox: { csp: { connectDomains: ["https://api.example"] }, permissions: { camera: {} } },
};
const appCapabilities = {
  tools: { listChanged: true },
  availableDisplayModes: ["inline" as const],
};
const hostContext = {
  theme: "dark" as const,
  toolInfo: { id: 7, tool },
  displayMode: "inline" as const,
  availableDisplayModes: ["inline" as const, "fullscreen" as const],
  containerDimensions: { maxHeight: 600, width: 400 },
  safeAreaInsets: { top: 0, right: 0, bottom: 34, left: 0 },
  locale: "de-CH",
};

function record(
  transport: InMemoryTransport,
  from: Line["from"],
  lines: Line[],
): InMemoryTransport {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    lines.push({ from, message: structuredClone(message) as Line["message"] });
    return send(message, options);
  };
  return transport;
}

function host(): AppBridge {
  const bridge = new AppBridge(null, { name: "host", version: "1" }, hostCapabilities, {
    hostContext,
  });
  bridge.onopenlink = async () => ({});
  bridge.ondownloadfile = async () => ({ isError: true });
  bridge.onmessage = async () => ({});
  bridge.onupdatemodelcontext = async () => ({});
  bridge.onrequestdisplaymode = async () => ({ mode: "fullscreen" });
  bridge.oncalltool = async () => ({ content: [text], structuredContent: { at: 1 } });
  bridge.onreadresource = async ({ uri }) => ({ contents: [{ uri, text: "" }] });
  bridge.onlistresources = async () => ({ resources: [{ uri: "ui://a", name: "a" }] });
  bridge.oncreatesamplingmessage = async () => ({ model: "m", role: "assistant", content: text });
  return bridge;
}

async function hostSpeaks(bridge: AppBridge): Promise<void> {
  await bridge.sendToolInputPartial({ arguments: { city: "Ber" } });
  await bridge.sendToolInput({ arguments: { city: "Bern" } });
  await bridge.sendToolResult({ content: [text], _meta: { "vendor/x": 1 } });
  await bridge.sendToolCancelled({ reason: "timeout" });
  await bridge.sendHostContextChange({ theme: "light" });
  await bridge.sendToolListChanged();
  await bridge.sendResourceListChanged();
  await bridge.sendPromptListChanged();
  await bridge.listTools({});
  await bridge.callTool({ name: "poke", arguments: {} });
}

async function viewSpeaks(app: App): Promise<void> {
  await app.openLink({ url: "https://example.com" });
  await app.downloadFile({
    contents: [{ type: "resource", resource: { uri: "file:///a.txt", text: "a" } }],
  });
  await app.sendMessage({ role: "user", content: [text] });
  await app.updateModelContext({ content: [text], structuredContent: { step: 2 } });
  await app.requestDisplayMode({ mode: "fullscreen" });
  await app.callServerTool({ name: "clock", arguments: { zone: "UTC" } });
  await app.readServerResource({ uri: "ui://a" });
  await app.listServerResources();
  await app.createSamplingMessage({ messages: [{ role: "user", content: text }], maxTokens: 9 });
  await app.sendLog({ level: "info", logger: "test", data: { any: "thing" } });
  await app.sendSizeChanged({ width: 300, height: 200 });
  await app.requestTeardown();
}

const lines: Line[] = [];

beforeAll(async () => {
  const [viewEnd, hostEnd] = InMemoryTransport.createLinkedPair();
  const bridge = host();
  const app = new App({ name: "view", version: "1" }, appCapabilities, { autoResize: false });
  app.registerTool("poke", { description: "Pokes" }, async () => ({ content: [text] }));
  app.onteardown = async () => ({});
  await bridge.connect(record(hostEnd, "host", lines));
  await app.connect(record(viewEnd, "view", lines));
  await viewSpeaks(app);
  await hostSpeaks(bridge);
  await bridge.teardownResource({});
});

function sentence(validation: { ok: true } | Mismatch): string {
  return validation.ok ? "accepted" : describeMismatch(validation);
}

describe("a session between the official View and the official Host", () => {
  test("uses most of the table", () => {
    const methods = new Set(
      lines.flatMap(({ from, message }) => (message.method ? [`${from} ${message.method}`] : [])),
    );
    expect(methods.size).toBeGreaterThanOrEqual(25);
  });

  test("has only params that we accept, strictly except for what the SDK adds to `_meta`", () => {
    const refused = lines.flatMap(({ from, message: { id, method, params } }) => {
      if (method === undefined) return [];
      const validate = id === undefined ? validateNotification : validateRequest;
      const { _meta, ...rest } = (params ?? {}) as Record<string, unknown>;
      const verdicts = [
        sentence(validate(from, method, params)),
        sentence(validate(from, method, params === undefined ? params : rest, { strict: true })),
      ];
      return verdicts
        .filter((verdict) => verdict !== "accepted")
        .map((verdict) => `${method} ${verdict}`);
    });
    expect(refused).toEqual([]);
  });

  test("has only results that we accept, strictly as well", () => {
    const asked = new Map<string, string>();
    const verdicts = lines.flatMap(({ from, message: { id, method, result } }) => {
      if (method !== undefined) asked.set(`${from} ${id}`, method);
      if (result === undefined) return [];
      const question = asked.get(`${from === "view" ? "host" : "view"} ${id}`) ?? "";
      return [
        sentence(validateResult(question, result)),
        sentence(validateResult(question, result, { strict: true })),
      ];
    });
    expect(verdicts.length).toBeGreaterThanOrEqual(24);
    expect(new Set(verdicts)).toEqual(new Set(["accepted"]));
  });

  test("has only messages that the method policy lets through, in this order", () => {
    const session: Session = { initialized: false, hostCapabilities, appCapabilities };
    const refused = lines.flatMap(({ from, message: { id, method, params } }) => {
      if (method === undefined) return [];
      const kind = id === undefined ? "notification" : "request";
      const decision = decideMethod({ from, method, kind, params }, session);
      if (method === "ui/notifications/initialized") session.initialized = true;
      return decision.allow ? [] : [decision.reason];
    });
    expect(refused).toEqual([]);
  });
});
