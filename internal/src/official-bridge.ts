import {
  AppBridge as AppBridge1,
  PostMessageTransport as Transport1,
} from "ext-apps-v1/app-bridge";
import {
  AppBridge as AppBridge2,
  PostMessageTransport as Transport2,
} from "ext-apps-v2/app-bridge";

/** A published generation of the official SDK. */
export type BridgeVersion = "2.0.4" | "1.7.5";

/** The official bridge, by the newer declaration: what tests use of it is the same in both. */
export type OfficialBridge = AppBridge2;

type Transport = InstanceType<typeof Transport2>;
type Client = ConstructorParameters<typeof AppBridge2>[0];
type Capabilities = ConstructorParameters<typeof AppBridge2>[2];
type Context = NonNullable<ConstructorParameters<typeof AppBridge2>[3]>["hostContext"];

/** The handshake options of a bridge. */
export interface BridgeSetup {
  version: BridgeVersion;
  capabilities?: Capabilities;
  context?: NonNullable<Context>;
  /** The connection to the View's server; without it, tests answer through handlers. */
  client?: Client;
}

/** One message on the window channel, in the order the Host saw or sent it. */
export interface Line {
  from: "view" | "host";
  message: {
    id?: string | number;
    method?: string;
    params?: Record<string, unknown>;
    result?: unknown;
    error?: { code: number; message: string };
  };
}

const CLASSES = {
  "2.0.4": { AppBridge: AppBridge2, Transport: Transport2 },
  "1.7.5": {
    AppBridge: AppBridge1 as unknown as typeof AppBridge2,
    Transport: Transport1 as unknown as typeof Transport2,
  },
};

const HOST_INFO = { name: "official-host", version: "9.8.7" };

/** Makes a bridge of the given generation. */
export function createBridge({ version, ...setup }: BridgeSetup): OfficialBridge {
  const { client = null, capabilities, context } = setup;
  return new CLASSES[version].AppBridge(
    client,
    HOST_INFO,
    capabilities ?? {},
    context && { hostContext: context },
  );
}

/** The bridge's own transport to a frame, with a log of what passes. */
export function createTransport(
  version: BridgeVersion,
  view: Window,
  lines: Line[],
): { transport: Transport; stop: () => void } {
  const transport = new CLASSES[version].Transport(view, view);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    lines.push({ from: "host", message: structuredClone(message) as Line["message"] });
    return send(message, options);
  };
  // A listener of its own: the log shows what the frame really posted, not what the SDK let through.
  const receive = ({ source, data }: MessageEvent): void => {
    if (source === view && data?.jsonrpc === "2.0") lines.push({ from: "view", message: data });
  };
  addEventListener("message", receive);
  return { transport, stop: () => removeEventListener("message", receive) };
}

/** The abort signal of a request, which the two generations keep in different places. */
export function signalOf(extra: unknown): AbortSignal {
  const { mcpReq, signal } = extra as { mcpReq?: { signal: AbortSignal }; signal?: AbortSignal };
  return (mcpReq?.signal ?? signal) as AbortSignal;
}

/** The progress token of a request, likewise. */
export function progressTokenOf(extra: unknown): string | number | undefined {
  type Meta = { progressToken?: string | number };
  const { mcpReq, _meta } = extra as { mcpReq?: { _meta?: Meta }; _meta?: Meta };
  return (mcpReq ? mcpReq._meta : _meta)?.progressToken;
}

/** An error that a bridge handler throws to answer with a code of its own. */
export function rpcFailure(code: number, message: string, data?: unknown): Error {
  return Object.assign(new Error(message), { code, data });
}
