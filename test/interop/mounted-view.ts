import { type FrameOrigin, frameView } from "@vitrine/internal/framed-view";
import {
  type BridgeSetup,
  type BridgeVersion,
  createBridge,
  createTransport,
  type Line,
  type OfficialBridge,
} from "@vitrine/internal/official-bridge";
import { type Remote, remoteObject } from "@vitrine/internal/remote-object";
import type { ScriptedView } from "@vitrine/internal/scripted-view";
import script from "@vitrine/internal/scripted-view?script";
import type { AppOptions, McpUiAppCapabilities } from "@vitrine/view";
import { onTestFinished, vi } from "vitest";
import { z } from "zod";

/** One pairing of an official bridge with a kind of frame. */
export interface Pairing {
  version: BridgeVersion;
  origin: FrameOrigin;
}

/** Every pairing the interop tests run in. */
export const PAIRINGS: Pairing[] = (["2.0.4", "1.7.5"] as const).flatMap((version) =>
  (["opaque", "same-origin"] as const).map((origin) => ({ version, origin })),
);

/** The title of a group of tests that runs once for each pairing. */
export const UNDER = "under AppBridge $version, $origin frame:";

/** What a test wants before the View connects. */
export interface Setup extends Omit<BridgeSetup, "version"> {
  appCapabilities?: McpUiAppCapabilities;
  appOptions?: AppOptions;
  /** Sets handlers on the bridge before it listens. */
  bridge?: (bridge: OfficialBridge) => void;
  /** Prepares the View before it connects. */
  view?: (view: Remote<ScriptedView>) => Promise<unknown>;
}

/** A View in its frame and the bridge that talks to it. */
export interface MountedView {
  bridge: OfficialBridge;
  view: Remote<ScriptedView>;
  lines: Line[];
  frame: HTMLIFrameElement;
  /** What the official code warned of. */
  warnings(): string;
  /** Methods the View has sent, in order. */
  sent(): string[];
  /** Waits until everything the Host has sent so far was delivered. */
  delivered(): Promise<void>;
}

/** Mounts a View whose App exists but has not connected. */
export async function mountUnconnected(pairing: Pairing, setup: Setup = {}): Promise<MountedView> {
  // The official transport prints every message, and the bridge what it finds odd.
  const prints = vi.spyOn(console, "debug").mockImplementation(() => {});
  const warns = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => {
    prints.mockRestore();
    warns.mockRestore();
  });
  const framed = frameView([script], pairing.origin);
  onTestFinished(() => framed.remove());
  await framed.load();
  const view = remoteObject<ScriptedView>(framed.openPort());
  const bridge = createBridge({ ...setup, version: pairing.version });
  const lines: Line[] = [];
  const { transport, stop } = createTransport(pairing.version, framed.window, lines);
  onTestFinished(async () => {
    stop();
    await bridge.close();
  });
  setup.bridge?.(bridge);
  await bridge.connect(transport);
  await view.create(setup.appCapabilities, { autoResize: false, ...setup.appOptions });
  await setup.view?.(view);
  return {
    bridge,
    view,
    lines,
    frame: framed.frame,
    warnings: () => warns.mock.calls.flat().join("\n"),
    sent: () => lines.flatMap(({ from, message }) => (from === "view" ? methodOf(message) : [])),
    // Window messages keep their order, so whatever was sent before the ping has arrived.
    delivered: async () => {
      await bridge.request({ method: "ping" }, z.looseObject({}));
    },
  };
}

/** Mounts a View and completes the handshake. */
export async function mount(pairing: Pairing, setup: Setup = {}): Promise<MountedView> {
  const mounted = await mountUnconnected(pairing, setup);
  const initialized = new Promise((resolve) => {
    mounted.bridge.addEventListener("initialized", resolve);
  });
  await mounted.view.call("connect");
  await initialized;
  return mounted;
}

function methodOf({ method }: Line["message"]): string[] {
  return method === undefined ? [] : [method];
}
