import { type Channel, linkedChannels } from "@vitrine/protocol";
import { App as VitrineApp } from "@vitrine/view";
import { App as App1 } from "ext-apps-v1";
import { App as App2 } from "ext-apps-v2";
import { onTestFinished, vi } from "vitest";
import { AppBridge } from "../../src/bridge/bridge.ts";
import type { BridgeDiagnostic } from "../../src/bridge/bridge-options.ts";
import type { Setup } from "../raw-view.ts";

/** Whose `App` is at the other end. */
export type ViewSdk = "ext-apps 2.0.4" | "ext-apps 1.7.5" | "@vitrine/view";

export const SDKS: ViewSdk[] = ["ext-apps 2.0.4", "ext-apps 1.7.5", "@vitrine/view"];

/** The newest official declaration: what tests use of it is the same in all three. */
export type AnyApp = App2;

const CLASSES = {
  "ext-apps 2.0.4": App2,
  "ext-apps 1.7.5": App1 as unknown as typeof App2,
  "@vitrine/view": VitrineApp as unknown as typeof App2,
};

/** What a test wants of the View. */
export interface ViewSetup {
  capabilities?: ConstructorParameters<typeof App2>[1];
  /** Runs before the View connects. */
  prepare?: (app: AnyApp) => void;
}

/** A View of the given SDK. */
export function createApp(sdk: ViewSdk, { capabilities = {}, prepare }: ViewSetup = {}): AnyApp {
  // Official code prints what it finds odd.
  for (const method of ["warn", "debug", "error", "log"] as const) {
    const print = vi.spyOn(console, method).mockImplementation(() => {});
    onTestFinished(() => print.mockRestore());
  }
  const info = { name: "interop", version: "1.2.3" };
  const app = new CLASSES[sdk](info, capabilities, { autoResize: false });
  prepare?.(app);
  return app;
}

/** What passed, in order, as the browser would copy it. */
export interface Line {
  from: "view" | "host";
  message: { id?: unknown; method?: string; params?: Record<string, unknown>; result?: unknown };
}

/** Two ends of one road: the official transports promise what ours just do. */
export function createRoad(lines: Line[]): { host: Channel; view: Channel } {
  const [near, far] = linkedChannels();
  const end = (channel: Channel, from: Line["from"]): Channel => {
    const wrapped: Channel = {
      start: async () => {
        channel.onmessage = (message) => wrapped.onmessage?.(message);
        channel.onclose = () => wrapped.onclose?.();
      },
      send: async (message) => {
        const copy = structuredClone(message);
        lines.push({ from, message: copy as Line["message"] });
        channel.send(copy);
      },
      close: async () => channel.close(),
    };
    return wrapped;
  };
  return { host: end(near, "host"), view: end(far, "view") };
}

/** One window with several listeners: what arrives reaches each, as when a component mounts twice. */
export function shareRoad(channel: Channel, count: number): Channel[] {
  const ends = Array.from(
    { length: count },
    (): Channel => ({
      start: async () => {},
      send: (message) => channel.send(message),
      close: async () => {},
    }),
  );
  channel.onmessage = (message) => {
    for (const end of ends) end.onmessage?.(message);
  };
  void channel.start?.();
  return ends;
}

/** A View of some SDK and the bridge that it talks to. */
export interface Connected {
  app: AnyApp;
  bridge: AppBridge;
  lines: Line[];
  diagnostics: BridgeDiagnostic[];
  /** Methods of one side, in order. */
  methods(from: Line["from"]): string[];
}

/** Connects both; the handshake is over when it resolves. */
export async function connectView(
  sdk: ViewSdk,
  setup: Setup = {},
  view: ViewSetup = {},
): Promise<Connected> {
  const { client = null, capabilities, prepare, hostInfo, ...options } = setup;
  const lines: Line[] = [];
  const diagnostics: BridgeDiagnostic[] = [];
  const road = createRoad(lines);
  const info = hostInfo ?? { name: "vitrine-host", version: "0.1.0" };
  const bridge = new AppBridge(client, info, capabilities, {
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  });
  prepare?.(bridge);
  await bridge.connect(road.host);
  const app = createApp(sdk, view);
  onTestFinished(async () => {
    await bridge.close();
    await app.close();
  });
  await app.connect(road.view as never);
  await vi.waitFor(() => {
    if (!bridge.initialized) throw new Error("not initialized");
  });
  const methods = (from: Line["from"]): string[] =>
    lines.flatMap((line) => (line.from === from ? (line.message.method ?? []) : []));
  return { app, bridge, lines, diagnostics, methods };
}
