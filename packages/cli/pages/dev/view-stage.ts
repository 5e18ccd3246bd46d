// The view in the middle of the page. A view that reloads stays behind the old one until it is ready,
// with the same input, result and state: nothing flickers, and no user input is lost.

import {
  createHost,
  type Host,
  type HostedView,
  type HostOptions,
  type Stage,
  storeKeyOf,
  type Upstream,
  type ViewRecord,
} from "@vitrine/host";
import type { Tool } from "@vitrine/protocol/apps";

/** What to show. */
export interface Scene {
  tool: Tool;
  upstream: Upstream;
}

/** The container for one view at a time. */
export interface ViewStage {
  readonly view: HostedView | undefined;
  readonly host: Host | undefined;
  /** The shown page, as the server sent it. */
  readonly hash: string | undefined;
  /** The element that contains views; the current view moves with it. */
  place(element: HTMLElement | null): void;
  /** Replaces the host; the view is reloaded in it. */
  setOptions(options: HostOptions): void;
  /** The options of the next host; the current one stays. */
  updateOptions(options: HostOptions): void;
  /** Shows another view from the start. */
  show(scene: Scene): HostedView | undefined;
  /**
   * Reloads the current view with the same data, after its pending messages have arrived, unless they
   * just did.
   */
  renew(scene: Scene, options?: { isDrained?: boolean }): Promise<void>;
  /** Waits until all messages of the view have arrived, including its state. */
  drain(): Promise<void>;
  clear(): void;
}

/** Events of the stage. */
export interface ViewStageEvents {
  onStage(view: HostedView, stage: Stage): void;
  onHost(host: Host): void;
  /** Milliseconds until the host has stored the view's latest state. */
  stateDue(): number;
}

// Long enough for a slow view; one that fails is then shown with its reason.
const PATIENCE = 8000;
// A view that is busy for longer loses its last messages.
const DRAIN_TIME = 150;

/** Creates the stage. */
export function createViewStage({ onStage, onHost, stateDue }: ViewStageEvents): ViewStage {
  const records = new Map<string, ViewRecord>();
  let element: HTMLElement | null = null;
  let host: Host | undefined;
  let current: { view: HostedView; slot: HTMLElement; scene: Scene } | undefined;
  let options: HostOptions | undefined;
  let count = 0;

  const mount = (scene: Scene, record?: ViewRecord): HostedView | undefined => {
    if (!element || !options) return undefined;
    if (!host) {
      host = createHost({
        ...options,
        store: records,
        restoreAnyVersion: true,
        developer: true,
        // A profile has exactly the fields of the product it stands for.
        contextFromPage: false,
      });
      onHost(host);
    }
    const key = `view-${++count}`;
    if (record) records.set(storeKeyOf("", key), record);
    const slot = document.createElement("div");
    slot.className = "slot";
    const last = current;
    if (last) slot.classList.add("waiting");
    element.append(slot);
    const view = host.mount(slot, { key, upstream: scene.upstream, tool: scene.tool, callId: key });
    current = { view, slot, scene };
    let isSettled = false;
    const settle = (): void => {
      if (isSettled) return;
      isSettled = true;
      slot.classList.remove("waiting");
      if (last) remove(last);
    };
    view.onStage((stage) => {
      onStage(view, stage);
      if (stage === "shown") settle();
    });
    view.onClose(settle);
    // Only a view that replaces itself waits behind the one it replaces.
    if (record) setTimeout(settle, PATIENCE);
    else settle();
    return view;
  };
  const remove = ({ view, slot }: NonNullable<typeof current>): void => {
    void view.close("replaced").then(() => slot.remove());
    records.delete(storeKeyOf("", view.key));
  };

  const stage: ViewStage = {
    get view() {
      return current?.view;
    },
    get host() {
      return host;
    },
    get hash() {
      return current && records.get(storeKeyOf("", current.view.key))?.resourceHash;
    },
    updateOptions: (next) => {
      options = next;
    },
    place: (next) => {
      element = next;
      if (next && current && current.slot.parentNode !== next) next.append(current.slot);
    },
    setOptions: (next) => {
      options = next;
      const last = host;
      host = undefined;
      // Views of the old host end with it, when the new one has taken over.
      if (last) setTimeout(() => void last.close(), PATIENCE);
    },
    show: (scene) => mount(scene),
    drain: async () => {
      if (!current) return;
      await drainMessages(current.view);
      const due = stateDue();
      if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    },
    renew: async (scene, { isDrained = false } = {}) => {
      const { view } = current ?? {};
      if (!isDrained) await stage.drain();
      // Another one came while we waited for the view's messages.
      if (view !== current?.view) return;
      const record = view && records.get(storeKeyOf("", view.key));
      mount(scene, record && structuredClone(record));
    },
    clear: () => {
      if (current) remove(current);
      current = undefined;
    },
  };
  return stage;
}

/** A response arrives after all earlier messages. */
async function drainMessages({ bridge }: HostedView): Promise<void> {
  if (!bridge?.initialized) return;
  const answered = bridge.peer.request("ping").catch(() => {});
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, DRAIN_TIME))]);
}
